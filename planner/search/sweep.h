// Every combination of a scenario's choices, one after the other: its results, or the rule that it breaks.
#pragma once

#include <functional>
#include <limits>

#include "planner/search/search_result.h"

namespace planner {

/// A sweep gives each candidate's results, or the rules that it breaks.
struct Swept {
  int64_t index = 0;
  std::vector<dsl::Value> choices;  // none where one of them has no value
  std::vector<std::string> broken;  // rules; empty: feasible
  std::optional<Outcome> found;     // absent where nothing was costed
};
/// Calls `row` for every candidate in order, until it returns false. Its argument is overwritten for the next one.
void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row);

/// Returns the choices of the first candidate that can be costed, else of the first whose values a plan reads; nullopt:
/// there is none among the first `most`.
std::optional<std::vector<dsl::Value>> first_choices(const OpenScenario& open,
                                                     int64_t most = std::numeric_limits<int64_t>::max());

}  // namespace planner
