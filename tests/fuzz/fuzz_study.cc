// libFuzzer: any text as a scenario with `study:` and `roadmap:`. Each must give a value, or messages with places in a
// text. Nothing is planned: a slow study of a thousand configurations is not a finding.

#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/studies/published/study.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"fuzz.yaml", fuzz::text_of(data, size), ""};
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  dsl::Sources sources;
  dsl::Diagnostics of_study, of_roadmap;
  const auto study = planner::read_study(source, catalog, sources, of_study);
  if (!study && !of_study.has_errors()) std::abort();  // refused without a message
  fuzz::require_places(of_study, fuzz::Places::where_known);
  const auto open = planner::read_open_scenario(source, {}, catalog, sources, of_roadmap);
  if (open) {
    const auto roadmap = planner::read_roadmap(*open, catalog, sources, of_roadmap);
    if (!roadmap && !of_roadmap.has_errors()) std::abort();
  }
  fuzz::require_places(of_roadmap, fuzz::Places::where_known);
  return 0;
}
