# Runs while installing: manual pages and completions, which the program makes of the rows of its commands.
# Given: program (the binary), made (a folder in the build), and TRAINPLAN_HOST, if this machine cannot run the binary: a build
# whose program it can run. Puts them below CMAKE_INSTALL_PREFIX.

if(DEFINED TRAINPLAN_HOST)
  set(program "${TRAINPLAN_HOST}/cli/trainplan")
endif()

function(trainplan_make folder name)
  file(MAKE_DIRECTORY "${made}/${folder}")
  execute_process(COMMAND "${program}" ${ARGN} OUTPUT_FILE "${made}/${folder}/${name}" COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/${folder}" TYPE FILE FILES "${made}/${folder}/${name}")
endfunction()

trainplan_make(bash-completion/completions trainplan completion bash)
trainplan_make(zsh/site-functions _trainplan completion zsh)
trainplan_make(fish/vendor_completions.d trainplan.fish completion fish)
trainplan_make(man/man1 trainplan.1 man)
execute_process(COMMAND "${program}" __complete OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+" commands "${commands}")
foreach(command IN LISTS commands)
  trainplan_make(man/man1 trainplan-${command}.1 man ${command})
endforeach()
