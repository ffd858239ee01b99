// The inputs of a scenario, for repeated reading.
#pragma once

#include <vector>

#include "dsl/catalog.h"

namespace planner {

struct ScenarioText {
  const dsl::Source& source;
  const std::vector<dsl::Override>& overrides;  // --set, overridden by the cells
  const dsl::Catalog& catalog;
  dsl::Sources& sources;
};

/// Returns the fields that the scenario and its overrides write themselves, without the entries that they use. Mistakes
/// are reported when the scenario is read.
dsl::Node own_tree(const ScenarioText& text);

}  // namespace planner
