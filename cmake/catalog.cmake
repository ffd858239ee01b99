# trainplan_embed_catalog(TARGET): adds catalog_data.cc, generated from the catalogue's YAML files, to TARGET.
#
# The file defines planner::builtin_files(). It is written again when a YAML file changes (a dependency)
# and when one is added or removed (CONFIGURE_DEPENDS). Call it in the directory that defines TARGET.
include(${CMAKE_CURRENT_LIST_DIR}/catalog_folders.cmake)

function(trainplan_embed_catalog target)
  set(patterns "")
  foreach(folder IN LISTS trainplan_catalog_folders)
    string(REGEX REPLACE "^[a-z-]+=" "" folder "${folder}")
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.yaml")
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${patterns})

  set(output "${CMAKE_BINARY_DIR}/catalog_data.cc")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_catalog.cmake")
  # The list of files is a dependency of its own, so that a removed file leaves the binary too.
  set(list_file "${CMAKE_BINARY_DIR}/catalog_files.txt")
  string(REPLACE ";" "\n" names "${files}")
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${names}\n" @ONLY)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS ${files} "${list_file}" "${script}" "${PROJECT_SOURCE_DIR}/cmake/catalog_folders.cmake"
      "${PROJECT_SOURCE_DIR}/cmake/raw_literal.cmake"
    COMMENT "Embedding the catalogue"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()

# trainplan_pack_catalog(TARGET): adds catalog_trees.cc, the trees of the embedded files as the program's own reader
# (trainplan_dsl) parses them. A mistake in a catalogue file fails the build with its place.
#
# The file defines planner::builtin_trees(). Call it behind trainplan_embed_catalog, in the same directory. A build for
# another machine takes the packer from TRAINPLAN_HOST.
function(trainplan_pack_catalog target)
  set(output "${CMAKE_BINARY_DIR}/catalog_trees.cc")
  if(CMAKE_CROSSCOMPILING)
    add_executable(trainplan_catalog_packer IMPORTED)
    set_target_properties(trainplan_catalog_packer PROPERTIES
      IMPORTED_LOCATION "${TRAINPLAN_HOST}/planner/trainplan_catalog_packer")
  else()
    add_executable(trainplan_catalog_packer "${PROJECT_SOURCE_DIR}/cmake/pack_catalog.cc" "${CMAKE_BINARY_DIR}/catalog_data.cc")
    target_link_libraries(trainplan_catalog_packer PRIVATE trainplan_dsl)
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND trainplan_catalog_packer "${output}"
    DEPENDS trainplan_catalog_packer
    COMMENT "Parsing the catalogue"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
