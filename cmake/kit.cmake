# trainplan_embed_kit(TARGET): adds kit_data.cc, generated from operator_models/kit, to TARGET.
#
# The file defines cli::kit_files(). It is written again when a file of the kit changes, is added or removed.
function(trainplan_embed_kit target)
  set(folder "${PROJECT_SOURCE_DIR}/operator_models/kit")
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*.py" "${folder}/*.md")
  set(output "${CMAKE_BINARY_DIR}/kit_data.cc")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_kit.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS ${files} "${script}" "${PROJECT_SOURCE_DIR}/cmake/raw_literal.cmake"
    COMMENT "Embedding the measurement kit"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
