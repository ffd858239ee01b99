// trainplan.clusters/1: machines side by side, a row for each number of GPUs.
#pragma once

#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/studies/machines/machines.h"

namespace cli {

/// What all machines have of the scenario.
struct MachinesHead {
  std::string model = "a model";
  std::string layout = {};  // what is written of it, "tp 2, zero 1"; empty: nothing, or a run whose layout is opened
  planner::Goal goal = {};
};

Report machines_report(const MachinesHead& head, const std::vector<planner::MachineRow>& rows);

/// Days of the run against its cost, a point for each row, with lines for the goal's deadline and budget.
svg::Front machines_picture(const MachinesHead& head, const std::vector<planner::MachineRow>& rows);

}  // namespace cli
