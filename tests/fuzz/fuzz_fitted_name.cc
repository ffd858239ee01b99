// libFuzzer: any text as the name of a fitted model, pmnf(FILE, CALLPATH, PARAMETER=FEATURE). It must be refused in
// words or end in a name that is written and read back the same.
#include "planner/scenario/fitted_name.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::text_of(data, size);
  std::string why;
  if (!planner::names_fitted(text)) return 0;
  const auto name = planner::parse_fitted(text, why);
  fuzz::require(name.has_value() == why.empty());
  if (!name) return 0;
  const auto again = planner::parse_fitted(planner::text(*name), why);
  fuzz::require(again && again->file == name->file && again->callpath == name->callpath &&
                again->features == name->features);
  return 0;
}
