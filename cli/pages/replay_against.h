// A trace beside the planner's step, as tables and members of the report of `trainplan replay`.
#pragma once

#include <optional>
#include <vector>

#include "cli/report/report.h"
#include "planner/replay/against.h"

namespace cli {

/// Each pair of operators, longest first: the rows of the report; none: no scenario was given.
Table pair_rows(const std::optional<planner::replay::Against>& against);

/// Sums by kind of work, of all operators, of the time in which the device was busy, and of the step.
Table work_rows(const std::optional<planner::replay::Against>& against);

/// What the page shows of both: the sums, and the longest pairs.
std::vector<Block> against_blocks(const std::optional<planner::replay::Against>& against);

}  // namespace cli
