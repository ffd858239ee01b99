// Every combination of a scenario's choices, one after the other: its results, or what it breaks.
#pragma once

#include <functional>

#include "planner/search/search.h"

namespace planner {

/// A sweep gives each candidate's results, or the rules that it breaks.
struct Swept {
  int64_t index = 0;
  std::vector<dsl::Value> choices;  // none where one of them has no value
  std::vector<std::string> broken;  // rules; empty: feasible
  std::optional<Outcome> found;     // absent where nothing was costed
};
/// Calls `row` for every candidate in order, until it returns false. What it is given is written over for the next one.
void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row);

}  // namespace planner
