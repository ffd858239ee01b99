// trainplan.clusters/1: machines side by side, a row for each number of GPUs.
#pragma once

#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/studies/machines/machines.h"

namespace cli {

/// `title`: the heading above the rows.
Report machines_report(const std::string& title, const std::vector<planner::MachineRow>& rows);

/// Days of the run against its cost, a point for each row.
svg::Front machines_picture(const std::string& title, const std::vector<planner::MachineRow>& rows);

}  // namespace cli
