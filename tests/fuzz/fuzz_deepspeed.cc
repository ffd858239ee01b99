// libFuzzer: any text as a configuration of DeepSpeed, or a script that holds one. It must end in messages with places,
// or in a scenario that is written as YAML and parsed again.

#include "planner/import/deepspeed.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dsl::Sources sources;
  planner::RunFiles files;
  files.config = &sources.emplace_back(dsl::Source{"ds.json", fuzz::text_of(data, size), "/nowhere"});
  dsl::Diagnostics diagnostics;
  const planner::ImportedRun result = planner::import_deepspeed(files, sources, diagnostics);
  fuzz::require_written(result.scenario, diagnostics);
  return 0;
}
