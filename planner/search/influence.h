// How much the free choices of a space matter: a walk settles the most influential ones first.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// By what share of them memory and time differ between the values of a choice, summed over a few layouts.
struct Influence {
  double bytes = 0, seconds = 0;
  auto operator<=>(const Influence&) const = default;  // what memory refuses need not be timed
};

/// Returns the influence of each free level (prefixes.h), all other choices left alone; of the others none. `order`:
/// the items by level. The same for every run.
std::vector<Influence> influence(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from);

}  // namespace planner
