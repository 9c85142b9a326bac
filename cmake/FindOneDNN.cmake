# Finds oneDNN; defines the target OneDNN::OneDNN. oneDNN's own package file requires the OpenCL headers, which are not
# needed here.
#
# If oneDNN uses OpenMP, OneDNN_OPENMP_LIBRARY is the OpenMP library of the compiler. It is linked too, because the
# calling thread sets the number of threads of a product with omp_set_num_threads.

find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

if(OneDNN_INCLUDE_DIR)
  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h version_lines REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" version_numbers "${version_lines}")
  list(JOIN version_numbers "." OneDNN_VERSION)

  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_config.h openmp REGEX
       "define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_OMP")
  if(openmp)
    string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
    find_library(OneDNN_OPENMP_LIBRARY gomp HINTS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES}
      PATH_SUFFIXES gcc/${CMAKE_LIBRARY_ARCHITECTURE}/${compiler_major})  # in the lib folder of a sysroot
    mark_as_advanced(OneDNN_OPENMP_LIBRARY)
    set(openmp_required OneDNN_OPENMP_LIBRARY)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR ${openmp_required} VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION ${OneDNN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OneDNN_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${OneDNN_OPENMP_LIBRARY}")
endif()
