# Fewer, larger units in a unity build (CMAKE_UNITY_BUILD), and precompiled headers with it: both make a whole build
# quicker, and a build after a small change slower. The preset `dev` has neither.

set(whole_build ${CMAKE_UNITY_BUILD})  # folders may set CMAKE_UNITY_BUILD themselves

# One unit per regex for the files of a target whose paths match it. These files stay alone: those that no regex matches,
# those that include themselves once per instruction set, and those that see every op, which tests/recipe replaces.
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

# Precompiles headers for a target; only those that nearly every file of the target includes: templates that a header
# leaves to be instantiated cost their time in every file.
function(precompile target)  # HEADER...
  if(whole_build)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Precompiles headers once for all targets that name the same group; their flags must be the same.
function(precompile_once group target)  # HEADER...
  get_property(first GLOBAL PROPERTY espalier_precompiled_${group})
  if(NOT first)
    set_property(GLOBAL PROPERTY espalier_precompiled_${group} ${target})
    precompile(${target} ${ARGN})
  elseif(whole_build)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()
