// Every combination of a scenario's choices, one after the other: its results, or what it breaks.
#pragma once

#include <functional>

#include "planner/search/search.h"

namespace planner {

/// A sweep gives each candidate's results, or the rules that it breaks.
struct Swept {
  int64_t index = 0;
  std::vector<dsl::Value> choices;  // of the choices that have a value
  std::vector<std::string> broken;  // rules; empty: feasible
  std::optional<Found> found;       // absent where nothing was costed
};
/// Calls `row` for every candidate in order, until it returns false.
void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row);

}  // namespace planner
