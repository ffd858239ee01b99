# trainplan_test_objects(TARGET SOURCE...): how the tests are compiled: by clang++ and at -O0, which takes a third of g++'s time
# for the same files; what they call is optimized, and under sanitizers. SOURCE...: those that include what most tests
# include, parsed once for all of them.
#
# The same command in every preset, so that ccache compiles the tests once for the release build and the one under
# sanitizers. It compares the text of the precompiled header (.sum) in place of the file.
set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -DNDEBUG")
set(trainplan_test_options -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers -Wno-missing-braces)
# Tests run in the root of the sources: no path of one checkout in their objects, which ccache then shares.
set(trainplan_test_source_dir TRAINPLAN_SOURCE_DIR=".")

# What most tests include.
function(trainplan_test_header result)
  set(headers <doctest/doctest.h> ${trainplan_precompiled_headers} \"planner/plan/plan.h\" \"tests/planner/sample.h\")
  list(JOIN headers "\n#include " text)
  set(header "${PROJECT_SOURCE_DIR}/build/units/tests.h")
  file(CONFIGURE OUTPUT "${header}" CONTENT "#include ${text}\n" @ONLY)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/tests.pch)
  # Those that CMake gives to the tests: clang refuses a header that was parsed with others.
  set(flags -std=c++20 -O0 -DNDEBUG -DFMT_SHARED -D${trainplan_test_source_dir} -I${PROJECT_SOURCE_DIR} ${trainplan_test_options})
  add_custom_command(OUTPUT ${made} ${made}.sum
    COMMAND ${trainplan_clang} ${flags} -fpch-instantiate-templates -Xclang -fno-pch-timestamp
      -x c++-header ${header} -o ${made} -MD -MF ${made}.d -MT ${made}
    COMMAND ${trainplan_clang} ${flags} -E -P -x c++ ${header} | sha256sum > ${made}.sum
    DEPENDS ${header} DEPFILE ${made}.d VERBATIM)
  set(${result} ${made} PARENT_SCOPE)
endfunction()

function(trainplan_test_objects target)
  target_compile_definitions(${target} PRIVATE ${trainplan_test_source_dir})
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "${trainplan_test_options}"
    CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/compile_by.sh;${CMAKE_CXX_COMPILER};${trainplan_clang};${CMAKE_CXX_COMPILER_LAUNCHER}")
  if(TRAINPLAN_PRECOMPILE)
    trainplan_test_header(made)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-include-pch;${made}" OBJECT_DEPENDS ${made})
  endif()
endfunction()
