// libFuzzer: any text as a launch script of Megatron-LM, or as its YAML. It must end in messages with places, or in a
// scenario that is written as YAML and parsed again.

#include "planner/import/megatron.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"run.sh", fuzz::text_of(data, size), "/nowhere"};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const planner::ImportedRun result = planner::import_megatron(
      {.config = &source, .launch = nullptr, .model = "", .cluster = ""}, sources, diagnostics);
  fuzz::require_written(result.scenario, diagnostics);
  return 0;
}
