// The values that a row of a search has for its choices, laid over the scenario that was searched.
#pragma once

#include "planner/resolve/read.h"

namespace planner {

/// Replaces each choice in the tree by the row's value. The tree is complete by then. A `--set` would come earlier: it
/// counts as written, and other fields follow what is written (a profile's accuracy, the fields of a technique). The
/// scenario would then differ from the one that the search costed.
void put_chosen(dsl::Node& tree, const Sets& chosen, const ScenarioText& text, dsl::Diagnostics& diagnostics);

}  // namespace planner
