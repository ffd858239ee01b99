// libFuzzer: any bytes as a file of scaling measurements, the first byte telling how it is named; and as the name of a
// profile. They must end in an experiment that holds together or in messages with places.
#include "planner/scaling/read/nsight_steps.h"
#include "tests/fuzz/experiment.h"

namespace {

constexpr const char* kNames[] = {"a.txt", "a.json", "a.jsonl", "a.csv", "a.extra-p", "noname"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  fuzz::read_experiment(kNames[data[0] % std::size(kNames)], text);
  dsl::Diagnostics diagnostics;
  const dsl::Source source{"profile", text, ""};
  const auto name = planner::scaling::read_profile_name(source, diagnostics);
  fuzz::require_value_or_error(name, diagnostics);
  if (name) fuzz::require(!name->parameters.empty() && name->parameters.size() == name->values.size());
  fuzz::require_places(diagnostics, fuzz::Places::where_known);
  return 0;
}
