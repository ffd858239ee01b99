// Why a search found nothing: what refused its candidates, where that is written, and one candidate that it refused.
#pragma once

#include <string>
#include <vector>

#include "planner/search/search.h"

namespace planner {

struct Obstacle {
  std::string rule;
  int64_t candidates = 0;  // whose first broken rule it is
  dsl::Span place;         // of the condition, the choice, the deadline ...; empty for rules of the layout
  std::string message;     // the requirement
  // One of them, the first in the enumeration. Absent for a rule after costing, and for one that refuses nothing among
  // the first million combinations.
  std::vector<std::pair<std::string, dsl::Value>> example;
};

/// Returns the obstacles, the largest count first. Conditions, and items of the space without a value, are counted
/// separately.
std::vector<Obstacle> obstacles(const OpenScenario& open, const SearchResult& result);

}  // namespace planner
