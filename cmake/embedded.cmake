# trainplan_embed(TARGET HEADER TYPE FUNCTION PATTERN...): adds FUNCTION.cc to TARGET, generated from the files that the
# patterns match (embed_files.cmake). It is written again when a file changes, is added or removed. Below the folders of
# trainplan_embed_bases a file keeps its path.
function(trainplan_embed target header type function)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(output "${CMAKE_BINARY_DIR}/${function}.cc")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" "-DOUTPUT=${output}" -DHEADER=${header} -DTYPE=${type}
            -DFUNCTION=${function} "-DBASES=${trainplan_embed_bases}" -P "${script}"
    DEPENDS ${files} "${script}" "${PROJECT_SOURCE_DIR}/cmake/raw_literal.cmake"
    COMMENT "Embedding ${function}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
