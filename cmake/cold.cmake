# Code that does not run for each candidate of a search is compiled faster (trainplan_cold). Searches keep their speed.
set(trainplan_cold $<$<CONFIG:Release>:-O1>)
set(trainplan_quick search plan workload schedule scenario operator_models hw_profiles dsl)

# trainplan_quick_first(PROGRAM): if several libraries define an inline function, the linker keeps the first. The quick
# libraries come first.
function(trainplan_quick_first program)
  list(TRANSFORM trainplan_quick REPLACE "(.+)" "$<TARGET_FILE:trainplan_\\1>" OUTPUT_VARIABLE libraries)
  list(JOIN libraries "," libraries)
  target_link_options(${program} PRIVATE "LINKER:--whole-archive,${libraries},--no-whole-archive")
endfunction()
