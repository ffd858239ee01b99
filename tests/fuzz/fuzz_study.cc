// libFuzzer: any text as a scenario with `study:` and `roadmap:`. Each must end in a value, or in messages that have
// places in a text. Nothing is planned: a study of a thousand configurations is no finding.
#include <cstdint>
#include <cstdlib>

#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/studies/published/study.h"

namespace {

void require_places(const dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (d.span.source && (d.span.line < 1 || d.span.column < 1)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size), ""};
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  dsl::Sources sources;
  dsl::Diagnostics of_study, of_roadmap;
  const auto study = planner::read_study(source, catalog, sources, of_study);
  if (!study && !of_study.has_errors()) std::abort();  // refused, and nobody told
  require_places(of_study);
  const auto open = planner::read_open_scenario(source, {}, catalog, sources, of_roadmap);
  if (open) {
    const auto roadmap = planner::read_roadmap(*open, catalog, sources, of_roadmap);
    if (!roadmap && !of_roadmap.has_errors()) std::abort();
  }
  require_places(of_roadmap);
  return 0;
}
