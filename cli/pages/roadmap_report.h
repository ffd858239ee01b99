// trainplan.roadmap/1: the cells of a roadmap, a row each.
#pragma once

#include "cli/report/report.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {

/// `title`: what the page says above the rows.
Report roadmap_report(const std::string& title, const std::vector<planner::RoadmapCell>& cells);

}  // namespace cli
