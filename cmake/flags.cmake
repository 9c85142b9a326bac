# Compiler flags of this tree. They do not affect users of the installed package.

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Lets the compiler inline the library's exported functions; another library never replaces them at load time.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)

if(ESPALIER_DEVELOPER)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False positives: `"text" + std::string` (GCC bug 105651); fmt::format with assertions of the standard library.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
  endif()
endif()

if(ESPALIER_SANITIZE)
  add_compile_options(-fsanitize=${ESPALIER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ESPALIER_SANITIZE})
  add_compile_definitions(ESPALIER_VERIFY_PLANS)  # every plan is simulated before it runs
endif()

if(ESPALIER_FAST_TOOLS AND PROJECT_IS_TOP_LEVEL)
  find_program(ESPALIER_CCACHE ccache)
  if(ESPALIER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ESPALIER_CCACHE})
  endif()
  find_program(ESPALIER_MOLD mold)
  if(ESPALIER_MOLD AND NOT CMAKE_CROSSCOMPILING)  # a cross compiler uses its own linker
    add_link_options(-fuse-ld=mold)
  endif()
endif()
