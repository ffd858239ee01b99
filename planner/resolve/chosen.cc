#include "planner/resolve/chosen.h"

#include "dsl/merge.h"
#include "planner/scenario/vocabulary.h"

namespace planner {

void put_chosen(dsl::Node& tree, const Sets& chosen, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  size_t number = text.overrides.size();  // behind what --set writes
  for (const auto& [path, value] : chosen) {
    const dsl::Source& source = text.sources.emplace_back(dsl::Source{"--set", path + "=" + value, "", number++});
    dsl::ParsedOverride parsed;
    if (!dsl::parse_override(source, parsed, diagnostics, vocabulary().override_example)) continue;
    dsl::ParsedOverride nothing{.path = parsed.path, .value = {}};
    dsl::apply_override(tree, nothing, true, diagnostics);
    dsl::apply_override(tree, parsed, true, diagnostics);
  }
}

}  // namespace planner
