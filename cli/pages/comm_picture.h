// Compute against communication as pictures: the stacked parts of a step, and the grid of a roadmap.
#pragma once

#include "cli/svg/picture.h"
#include "planner/plan/comm.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {

/// The step as a bar of its parts, and below it the communication of each parallelism and tier.
svg::StackedBars comm_bars(const planner::Scenario& scenario, const planner::CommAnalysis& analysis);

/// Steps from left to right, models from top to bottom: serialized, overlapped and exposed communication, memory.
svg::Grid roadmap_grid(const std::string& title, const std::vector<planner::RoadmapCell>& cells);

}  // namespace cli
