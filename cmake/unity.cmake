# trainplan_unity(TARGET MOST): compiles TARGET's sources in groups of at most MOST files, each one translation unit: what they
# instantiate alike is then instantiated once. A file with SKIP_UNITY_BUILD_INCLUSION stays alone.
#
# trainplan_unity_groups() finds the groups of all such targets, behind the last of them (cmake/unity.awk). They follow what the
# files declare, so a change of a file configures anew (a second). Whoever changes one file again and again is faster without:
# cmake --preset release -DTRAINPLAN_UNITY=OFF.
find_program(AWK NAMES mawk awk REQUIRED)

function(trainplan_unity target most)
  if(NOT TRAINPLAN_UNITY)
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(alone "${source}" TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(generated "${source}" TARGET_DIRECTORY ${target} GENERATED)
    if(NOT alone AND NOT generated)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
      set_property(GLOBAL APPEND_STRING PROPERTY trainplan_unity_files "${target} ${most} ${source}\n")
      set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${source}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(trainplan_unity_groups)
  get_property(files GLOBAL PROPERTY trainplan_unity_files)
  set(list "${PROJECT_BINARY_DIR}/unity_files.txt")
  file(WRITE "${list}" "${files}")
  execute_process(COMMAND ${AWK} -f "${PROJECT_SOURCE_DIR}/cmake/unity.awk" "${list}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set(number 0)
  foreach(group IN LISTS groups)
    string(REPLACE " " ";" group "${group}")
    list(POP_FRONT group target number)
    list(TRANSFORM group PREPEND "${PROJECT_SOURCE_DIR}/")
    set_source_files_properties(${group} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/unity.awk")
endfunction()
