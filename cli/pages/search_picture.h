// The plans of a search as a picture: the Pareto front over two results.
#pragma once

#include "cli/pages/search_report.h"
#include "cli/svg/picture.h"

namespace cli {

/// The two results that a picture shows where no --pareto names them: the days of the run, or the step without
/// job.tokens; against what the run costs where machines are open (GPUs without a price), else against the memory.
std::vector<const planner::ResultRow*> picture_axes(const planner::OpenScenario& open);

/// The best plans and those of the front over the first two results of --pareto; without it, over those in which the
/// plans themselves differ.
svg::Front search_picture(const SearchHead& head, const planner::SearchOptions& options,
                          const planner::SearchResult& result);

}  // namespace cli
