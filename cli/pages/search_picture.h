// The plans of a search as a picture: the Pareto front over two results.
#pragma once

#include "cli/pages/search_report.h"
#include "cli/svg/picture.h"

namespace cli {

/// The default axes of a picture without --pareto: the days of the run (the step without job.tokens), and the cost of
/// the run if machines are open (GPUs without a price), else the memory.
std::vector<const planner::ResultRow*> picture_axes(const planner::OpenScenario& open);

/// The best plans and those of the front over the first two results of --pareto; without it, over those in which the
/// plans themselves differ.
svg::Front search_picture(const SearchHead& head, const planner::SearchOptions& options,
                          const planner::SearchResult& result);

}  // namespace cli
