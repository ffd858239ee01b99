// libFuzzer: any text as a job configuration of torchtitan, with a launch line behind a NUL. It must end in messages
// with places, or in a scenario that is written as YAML and parsed again.

#include "planner/import/torchtitan.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const size_t end = std::min(text.find('\0'), text.size());
  const dsl::Source config{"job.toml", text.substr(0, end), "/nowhere"};
  const dsl::Source launch{"run.sh", text.substr(std::min(end + 1, text.size())), "/nowhere"};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const planner::ImportedRun result = planner::import_torchtitan(
      {.config = &config, .launch = end < text.size() ? &launch : nullptr, .model = "", .cluster = ""}, sources,
      diagnostics);
  fuzz::require_written(result.scenario, diagnostics);
  return 0;
}
