# trainplan_precompile(TARGET [HEADERS ...]): compiles TARGET's sources with the standard library's headers, fmt's and
# HEADERS, paths from the project's root, parsed once.
#
# The first target with the same headers makes them, all others reuse them: their flags are the same. Sources still
# include what they use: `./dev lint` and the fuzz targets compile without (TRAINPLAN_PRECOMPILE).
set(trainplan_precompiled_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
    <sstream> <string> <string_view> <tuple> <utility> <variant> <vector> <fmt/format.h>)

function(trainplan_precompile target)
  if(NOT TRAINPLAN_PRECOMPILE)
    return()
  endif()
  # False positives on string concatenation, as -Wrestrict's (GCC bug 105329): behind a precompiled header g++ no longer
  # knows that they come from the standard library.
  target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
  string(MAKE_C_IDENTIFIER "trainplan_precompiled_by_${ARGN}" property)
  get_property(first GLOBAL PROPERTY ${property})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set(headers ${ARGN})
    list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/")
    target_precompile_headers(${target} PRIVATE ${trainplan_precompiled_headers} ${headers})
    set_property(GLOBAL PROPERTY ${property} ${target})
  endif()
endfunction()
