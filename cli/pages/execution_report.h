// Execution traces as a report: what nodes each file has.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/trace/execution.h"

namespace cli {

Report execution_report(const std::vector<planner::trace::Execution>& executions);

}  // namespace cli
