// A scenario with its choices open, read again with the fields that the layout policy opens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/layout_policy.h"

namespace planner {

struct WithLayout {
  OpenScenario scenario;
  std::vector<dsl::Override> overrides;  // of the text, and those of the policy: used for reading it again
  std::vector<std::string> sets;         // of the policy alone (sets_of); empty: it opens nothing
  std::vector<std::string> opened;       // paths that it opened
};

/// nullopt if anything was wrong (diagnosed).
std::optional<WithLayout> read_with_layout(const ScenarioText& text, Opens opens, dsl::Diagnostics& diagnostics);
/// The same, of a text that was read already: `open` is what read_open_scenario returned for it without a mistake.
std::optional<WithLayout> read_with_layout(OpenScenario open, const ScenarioText& text, Opens opens,
                                           dsl::Diagnostics& diagnostics);

}  // namespace planner
