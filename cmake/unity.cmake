# Unity builds (CMAKE_UNITY_BUILD) with chosen units, and precompiled headers: both make a full build faster and an
# incremental build slower. The preset `dev` uses neither, except that the program's files read a precompiled umbrella.

# Whether this is a unity build; folders may set CMAKE_UNITY_BUILD themselves.
if(CMAKE_UNITY_BUILD)
  set(whole_build ON)
else()
  set(whole_build OFF)
endif()

# Puts the files of a target whose paths match a regex into one unit per regex. Compiled separately: files that match no
# regex, files that include themselves once per instruction set, and files that see every op (tests/new_op replaces them).
function(unite target)  # REGEX...
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    file(STRINGS ${source} stays_alone REGEX "HWY_TARGET_INCLUDE|^#include \"op/all.h\"")
    set(unit 0)
    foreach(regex ${ARGN})
      math(EXPR unit "${unit} + 1")
      if(source MATCHES "\\.cc$" AND NOT stays_alone AND source MATCHES "${regex}")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
        break()
      endif()
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Precompiles headers for a target. Use it only for headers that nearly every file of the target includes: the templates
# of a precompiled header cost time in every file.
function(precompile target)  # HEADER...
  if(whole_build)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Precompiles headers once for all targets of a group, which must have equal flags.
function(precompile_once group target)  # HEADER...
  get_property(first GLOBAL PROPERTY espalier_precompiled_${group})
  if(NOT first)
    set_property(GLOBAL PROPERTY espalier_precompiled_${group} ${target})
    precompile(${target} ${ARGN})
  elseif(whole_build)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()
