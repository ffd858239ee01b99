// Compute against communication.
#pragma once

#include "cli/report/report.h"
#include "cli/svg/picture.h"
#include "planner/plan/comm.h"
#include "planner/studies/comm/region.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {

/// trainplan.comm/1.
///
///     gpt3-175b on 8 x mi210: 21.3 % of compute and blocking communication is communication
///
///     edge       1234 FLOP/B: 12.3 EFLOP over 4.56 GB ...
///     ...
///     Where the step goes | By parallelism and tier | Communication, per step | Slack of a layer's matrices
Report comm_report(const planner::Scenario& scenario, const planner::CommAnalysis& analysis);
/// Makes that document with the region's figures in place of the timed ones (--roi).
Report region_report(const planner::Scenario& scenario, const planner::Algorithm& algorithm,
                     const planner::Region& region);

/// The step as a bar of its parts, and below it the communication of each parallelism and tier.
svg::StackedBars comm_bars(const planner::Scenario& scenario, const planner::CommAnalysis& analysis);

/// Steps from left to right, models from top to bottom: serialized, overlapped and exposed communication, memory.
svg::Grid roadmap_grid(const std::string& title, const std::vector<planner::RoadmapCell>& cells);

}  // namespace cli
