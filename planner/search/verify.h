// A search against `plan`: the same candidates, read and planned one by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/search/search_result.h"

namespace planner {

/// A candidate whose two plans are not the same to the last bit, and the figure in which they differ first.
struct Mismatch {
  std::vector<dsl::Value> choices;
  std::string figure;
};

/// Returns the plan of these choices as `plan` makes it; nullopt: it could not be read.
using Replan = std::function<std::optional<Plan>(const std::vector<dsl::Value>& choices)>;

struct Verified {
  int64_t candidates = 0;  // planned twice
  std::vector<Mismatch> mismatches;
};
/// Compares about `count` of the `evaluated` candidates of a search with their plans, evenly spread over them; all
/// where there are fewer.
Verified verify(const OpenScenario& open, int64_t evaluated, int64_t count, const Replan& replan);

}  // namespace planner
