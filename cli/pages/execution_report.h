// Execution traces as a report: what nodes each file has.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/replay/executed.h"
#include "planner/trace/execution.h"

namespace cli {

/// `executed`: the times on a machine; null: not requested.
Report execution_report(const std::vector<planner::trace::Execution>& executions,
                        const planner::replay::Executed* executed = nullptr);

}  // namespace cli
