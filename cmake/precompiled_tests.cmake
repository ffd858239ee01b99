# What most tests include, parsed once for all of them.
#
# ccache compares the text of the precompiled headers (.sum) in place of the file, which g++ never writes the same twice:
# so every preset finds the objects of another one's tests.
if(TRAINPLAN_PRECOMPILE)
  add_library(trainplan_tests_headers OBJECT precompiled.cc)
  trainplan_test_flags(trainplan_tests_headers)
  target_precompile_headers(trainplan_tests_headers PRIVATE <doctest/doctest.h> ${trainplan_precompiled_headers}
    ${PROJECT_SOURCE_DIR}/planner/plan/plan.h ${PROJECT_SOURCE_DIR}/tests/planner/sample.h)
  target_precompile_headers(trainplan_tests REUSE_FROM trainplan_tests_headers)

  set(header ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/trainplan_tests_headers.dir/cmake_pch.hxx)
  add_custom_command(OUTPUT ${header}.gch.sum
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -DFMT_SHARED -I${PROJECT_SOURCE_DIR} -E -P ${header} | sha256sum > ${header}.gch.sum
    DEPENDS $<TARGET_OBJECTS:trainplan_tests_headers> VERBATIM)
  add_custom_target(trainplan_tests_sum DEPENDS ${header}.gch.sum)
  add_dependencies(trainplan_tests trainplan_tests_sum)
endif()
