// What a run takes and costs, as titles, key figures and pictures say it.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"

namespace cli {

/// "42.61 d, 942.5 kUSD"; without a price the days alone, without tokens "37.48 s per step".
std::string run_text(const planner::Results& results);

/// The run and its cost with their intervals, or the step; and the memory of the fullest GPU.
std::vector<KeyFigure> run_key_figures(const planner::Results& results);

/// The days of the run from the 10th to the 90th percentile, in proportion to the step; nullopt: it has no days.
std::optional<svg::FrontSpan> days_span(const planner::Results& results);

/// An axis of days or dollars gets the goal's deadline or budget as a line.
void add_limit(const planner::ResultRow& figure, const planner::Goal& goal, svg::FrontAxis& axis);

}  // namespace cli
