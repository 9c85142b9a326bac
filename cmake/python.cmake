# The Python package: the extension module _core, with the Python files beside it, in <build>/python/espalier.
set(ESPALIER_PYTHON AUTO CACHE STRING "Build the Python package: AUTO, ON or OFF")
set_property(CACHE ESPALIER_PYTHON PROPERTY STRINGS AUTO ON OFF)
if(NOT ESPALIER_PYTHON OR ESPALIER_SANITIZE STREQUAL "thread" OR CMAKE_CROSSCOMPILING)
  return()
endif()

# Debian's Python before others that may come first in PATH: its packages are Debian's.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3 AND NOT DEFINED ENV{VIRTUAL_ENV})
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 QUIET CONFIG)
if(NOT Python3_Development.Module_FOUND OR NOT pybind11_FOUND)
  if(ESPALIER_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "The Python package needs the headers of Python 3.11 or newer (python3-dev) and pybind11 (pybind11-dev)")
  endif()
  message(STATUS "espalier: without the Python package (python3-dev, pybind11-dev)")
  return()
endif()

set(python_folder ${PROJECT_BINARY_DIR}/python/espalier)
file(GLOB_RECURSE python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cc)
list(FILTER python_sources EXCLUDE REGEX /src/smiles/)
Python3_add_library(espalier_python MODULE WITH_SOABI ${python_sources})
target_include_directories(espalier_python PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(espalier_python PRIVATE -Wno-missing-field-initializers)  # of PyTypeObject
target_link_libraries(espalier_python PRIVATE pybind11::headers espalier_internal)
# A wheel has copies of the shared libraries in _libs. Unlike a RUNPATH, an RPATH is also searched for what they need.
target_link_options(espalier_python PRIVATE LINKER:--disable-new-dtags)
set_target_properties(espalier_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${python_folder}
  BUILD_RPATH $ORIGIN/_libs
  UNITY_BUILD OFF)  # the files of types define functions of the same names

# Reading SMILES: an extension of its own, so that the package works without RDKit.
if(RDKit_FOUND)
  Python3_add_library(espalier_python_smiles MODULE WITH_SOABI ${PROJECT_SOURCE_DIR}/python/src/smiles/smiles.cc)
  target_link_libraries(espalier_python_smiles PRIVATE pybind11::headers espalier_smiles_internal)
  set_target_properties(espalier_python_smiles PROPERTIES OUTPUT_NAME _smiles LIBRARY_OUTPUT_DIRECTORY ${python_folder}
    UNITY_BUILD OFF)
  add_dependencies(espalier_python espalier_python_smiles)
endif()

# Links, so that a change of a Python file needs no build.
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/espalier
  ${PROJECT_SOURCE_DIR}/python/espalier/*.py ${PROJECT_SOURCE_DIR}/python/espalier/*.pyi
  ${PROJECT_SOURCE_DIR}/python/espalier/py.typed)
foreach(file ${python_files})
  get_filename_component(folder ${python_folder}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/espalier/${file} ${python_folder}/${file} SYMBOLIC)
endforeach()

# Whether the tests can run: tests/CMakeLists.txt adds them.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import numpy, pytest"
  RESULT_VARIABLE python_lacks_tools OUTPUT_QUIET ERROR_QUIET)
