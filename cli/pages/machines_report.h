// trainplan.clusters/1: machines side by side, a row for each number of GPUs.
#pragma once

#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/studies/machines/machines.h"

namespace cli {

/// `model`: its name.
Report machines_report(const std::string& model, const std::vector<planner::MachineRow>& rows);

/// Days of the run against its cost, a point for each row, with lines for the goal's deadline and budget.
svg::Front machines_picture(const std::string& model, const std::vector<planner::MachineRow>& rows,
                            const planner::Goal& goal);

}  // namespace cli
