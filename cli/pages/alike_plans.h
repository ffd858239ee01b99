// Plans that a page cannot tell apart but by their choices, as one row: choices that do not matter.
//
//     rows 1, 2, 3, 4: recompute none | selective, order a | b  ->  one of rank 1-4, "none, selective" and "a, b"
#pragma once

#include <functional>
#include <vector>

#include "planner/search/search.h"

namespace cli {

struct AlikePlans {
  size_t first = 0, count = 0;                   // rows
  std::vector<std::vector<dsl::Value>> choices;  // by choice: the values that the rows have, in their order
};

/// Returns the rows, in their order, neighbours united where they are `alike` and have every combination of the values
/// that they have: nothing is said of a plan that is not there.
std::vector<AlikePlans> alike_plans(const std::vector<planner::Found>& rows,
                                    const std::function<bool(const planner::Found&, const planner::Found&)>& alike);

}  // namespace cli
