# The installed package: the shared libraries, the public headers, the program, and what find_package(espalier) reads.
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/espalier)
install(TARGETS espalier espalier_smiles EXPORT espalierTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/espalier TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(EXPORT espalierTargets NAMESPACE espalier:: DESTINATION ${package})
if(TARGET espalier_program)
  install(TARGETS espalier_program)
endif()

# For users of Task: docs/tasks.md says why.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/check_await DESTINATION ${CMAKE_INSTALL_DATADIR}/espalier)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/espalierConfig.cmake.in espalierConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(espalierConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/espalierConfig.cmake ${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake DESTINATION ${package})
