# Component `data`: the shared library espalier_data (espalier::data). Readers and synthetic data are not part of
# libespalier.so, because users with their own data do not need them.
add_library(espalier_data SHARED $<TARGET_OBJECTS:espalier_data_objects>)
add_library(espalier::data ALIAS espalier_data)
set_target_properties(espalier_data PROPERTIES EXPORT_NAME data
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_link_options(espalier_data PRIVATE LINKER:--version-script=${exports})
if(NOT ESPALIER_SANITIZE)
  target_link_options(espalier_data PRIVATE LINKER:-z,defs)
endif()
target_link_libraries(espalier_data PUBLIC espalier PRIVATE $<TARGET_LINKER_FILE:fmt::fmt> ${ZLIB_LIBRARIES})
