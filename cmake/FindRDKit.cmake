# Finds the SMILES parser of RDKit and its molecular scaffolds; defines the target RDKit::SmilesParse. Debian's package has no CMake files and does
# not depend on the Boost headers that RDKit's headers include.

find_path(RDKit_INCLUDE_DIR GraphMol/SmilesParse/SmilesParse.h PATH_SUFFIXES rdkit)
find_path(RDKit_BOOST_INCLUDE_DIR boost/graph/adjacency_list.hpp)
set(libraries)
foreach(part ChemTransforms SmilesParse GraphMol RDGeneral)
  find_library(RDKit_${part}_LIBRARY RDKit${part})
  list(APPEND libraries RDKit_${part}_LIBRARY)
endforeach()
mark_as_advanced(RDKit_INCLUDE_DIR RDKit_BOOST_INCLUDE_DIR ${libraries})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RDKit
  REQUIRED_VARS ${libraries} RDKit_INCLUDE_DIR RDKit_BOOST_INCLUDE_DIR)

if(RDKit_FOUND AND NOT TARGET RDKit::SmilesParse)
  set(RDKit_LIBRARIES ${RDKit_ChemTransforms_LIBRARY} ${RDKit_SmilesParse_LIBRARY} ${RDKit_GraphMol_LIBRARY}
    ${RDKit_RDGeneral_LIBRARY})
  add_library(RDKit::SmilesParse UNKNOWN IMPORTED)
  set_target_properties(RDKit::SmilesParse PROPERTIES
    IMPORTED_LOCATION ${RDKit_SmilesParse_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${RDKit_INCLUDE_DIR};${RDKit_BOOST_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${RDKit_ChemTransforms_LIBRARY};${RDKit_GraphMol_LIBRARY};${RDKit_RDGeneral_LIBRARY}")
endif()
