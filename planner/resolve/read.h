// From the text of a scenario, with all that it uses, to a complete one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "planner/plan/field_sets.h"
#include "planner/resolve/scenario_text.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the places of `use:` and the kinds that they pull.
const std::vector<dsl::Pull>& scenario_pulls();

struct ReadOptions {
  bool pick_first = false;
  Sets chosen = {};  // the values of a search's row for its choices
};

/// Reads a scenario; nullopt if anything was wrong (all of it diagnosed).
std::optional<LoadedScenario> read_scenario(const dsl::Source& source, const std::vector<dsl::Override>& overrides,
                                            const dsl::Catalog& catalog, dsl::Sources& sources,
                                            dsl::Diagnostics& diagnostics, const ReadOptions& options = {});
/// Writes into the tree of a scenario what is to be open; `words`: what was taken out of it.
using TreeEdit = std::function<void(dsl::Node& tree, const LayoutWords& words)>;

/// Reads a scenario with its choices left open, for a search; nullopt if anything was wrong (all of it diagnosed).
/// `edit` is called for the complete tree.
std::optional<OpenScenario> read_open_scenario(const dsl::Source& source, const std::vector<dsl::Override>& overrides,
                                               const dsl::Catalog& catalog, dsl::Sources& sources,
                                               dsl::Diagnostics& diagnostics, const Sets& chosen = {},
                                               const TreeEdit& edit = {});

}  // namespace planner
