// Plans that differ on a page only in their choices, merged into one row: choices that do not matter.
//
//     rows 1, 2, 3, 4: recompute none | selective, order a | b  ->  one of rank 1-4, "none, selective" and "a, b"
#pragma once

#include <functional>
#include <vector>

#include "planner/search/search.h"

namespace cli {

struct AlikePlans {
  size_t first = 0, count = 0;                   // rows
  std::vector<std::vector<dsl::Value>> choices;  // by choice: the values in the rows, in order
};

/// Returns the rows, in order. Neighbours are merged if they are `alike` and cover every combination of their values: a
/// merged row never claims a plan that does not exist.
std::vector<AlikePlans> alike_plans(const std::vector<planner::Found>& rows,
                                    const std::function<bool(const planner::Found&, const planner::Found&)>& alike);

}  // namespace cli
