# Run in every build: cmake -D source= -D output= -D version= -D compiler= -P build_info.cmake
# Writes `output` only if its content changes. Without git, the commit is "unknown".

set(commit unknown)
if(EXISTS ${source}/.git)
  execute_process(COMMAND git -C ${source} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
  if(result EQUAL 0)
    set(commit ${described})
  endif()
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/espalier_build_info.h.in ${output} @ONLY)
