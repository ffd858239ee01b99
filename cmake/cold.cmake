# What is not run for each candidate of a search is compiled more quickly (trainplan_cold), and a search is none the slower.
set(trainplan_cold $<$<CONFIG:Release>:-O1>)
set(trainplan_quick search plan workload schedule scenario operator_models hw_profiles dsl)

# trainplan_quick_first(PROGRAM): of an inline function that several libraries hold the linker keeps the first: that of the
# quick ones.
function(trainplan_quick_first program)
  list(TRANSFORM trainplan_quick REPLACE "(.+)" "$<TARGET_FILE:trainplan_\\1>" OUTPUT_VARIABLE libraries)
  list(JOIN libraries "," libraries)
  target_link_options(${program} PRIVATE "LINKER:--whole-archive,${libraries},--no-whole-archive")
endfunction()
