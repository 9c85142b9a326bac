# The installed package: the shared libraries, the public headers, the program, the files for find_package(espalier).
# Components: library, data, smiles, development, program; each is a Debian package (package.cmake).
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/espalier)
set_target_properties(espalier espalier_data espalier_smiles PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS espalier EXPORT espalierTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS espalier_data EXPORT espalierDataTargets
  LIBRARY COMPONENT data NAMELINK_COMPONENT development)
install(TARGETS espalier_smiles EXPORT espalierSmilesTargets
  LIBRARY COMPONENT smiles NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/espalier TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h")
install(EXPORT espalierTargets NAMESPACE espalier:: DESTINATION ${package} COMPONENT development)
install(EXPORT espalierDataTargets NAMESPACE espalier:: DESTINATION ${package} COMPONENT development)
install(EXPORT espalierSmilesTargets NAMESPACE espalier:: DESTINATION ${package} COMPONENT development)
if(TARGET espalier_program)
  install(TARGETS espalier_program COMPONENT program)
endif()

# Finds uses of co_await that g++ 12.2 miscompiles, in projects that use Task (docs/tasks.md).
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/check_await
  DESTINATION ${CMAKE_INSTALL_DATADIR}/espalier COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/espalierConfig.cmake.in espalierConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(espalierConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/espalierConfig.cmake ${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake
  DESTINATION ${package} COMPONENT development)
