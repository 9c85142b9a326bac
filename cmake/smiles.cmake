# Component `smiles`: the shared library espalier_smiles, the only one that links RDKit, and an archive for the tests and
# the program. Both exist without RDKit; their functions then throw an error.

set(smiles_sources ${PROJECT_SOURCE_DIR}/src/smiles/read.cc)
if(RDKit_FOUND)
  list(APPEND smiles_sources ${PROJECT_SOURCE_DIR}/src/smiles/rdkit.cc)
else()
  list(APPEND smiles_sources ${PROJECT_SOURCE_DIR}/src/smiles/without_rdkit.cc)
  message(STATUS "espalier: without RDKit (librdkit-dev, libboost-dev); SMILES cannot be read")
endif()

add_library(espalier_smiles_objects OBJECT ${smiles_sources})
target_include_directories(espalier_smiles_objects PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(espalier_smiles_objects PUBLIC $<TARGET_NAME_IF_EXISTS:RDKit::SmilesParse>)
# Boost 1.74 has casts that clang rejects since version 16.
target_compile_options(espalier_smiles_objects PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-enum-constexpr-conversion>)
set_target_properties(espalier_smiles_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

add_library(espalier_smiles_internal STATIC)
target_link_libraries(espalier_smiles_internal PUBLIC espalier_smiles_objects espalier_internal)

add_library(espalier_smiles SHARED $<TARGET_OBJECTS:espalier_smiles_objects>)
add_library(espalier::smiles ALIAS espalier_smiles)
set_target_properties(espalier_smiles PROPERTIES EXPORT_NAME smiles
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_link_options(espalier_smiles PRIVATE LINKER:--version-script=${exports})
target_link_libraries(espalier_smiles PUBLIC espalier_data PRIVATE ${RDKit_LIBRARIES})  # by file, like the core library
