// The values that a row of a search has for its choices, laid over the scenario that was searched.
#pragma once

#include "planner/resolve/read.h"

namespace planner {

/// Puts each value where the whole tree has the choice, in place of whatever stands there. As `--set` they would be
/// part of what is written, from which other fields follow (a profile's accuracy, the fields of a technique), and the
/// row read again were another scenario than the one that was costed.
void put_chosen(dsl::Node& tree, const Sets& chosen, const ScenarioText& text, dsl::Diagnostics& diagnostics);

}  // namespace planner
