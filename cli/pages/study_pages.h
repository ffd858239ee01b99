// The reports of studies: runs, recipes, papers, roadmaps and SeqPoints. Keys and order: docs/output.md.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"

namespace planner {
struct RecipeScore;
struct RoadmapCell;
struct Score;
struct StudyRow;
namespace seqpoint {
struct Projection;
}
}  // namespace planner

namespace cli {

/// trainplan.recipes/1: published layouts next to those that a search finds.
Report recipes_report(const std::vector<planner::RecipeScore>& scores);

/// trainplan.roadmap/1: the cells of a roadmap, a row each. `title`: the heading above the rows.
Report roadmap_report(const std::string& title, const std::vector<planner::RoadmapCell>& cells);

/// trainplan.study/1: figures of a paper next to predictions.
Report study_report(const std::vector<planner::StudyRow>& rows);

/// trainplan.validate/1: measured runs against their predictions.
Report validate_report(const planner::Score& score);

/// trainplan.seqpoint/1. Rows are the SeqPoints.
///
///     gnmt on vega-fe-16gb: 453 iterations, 24 lengths, 6 SeqPoints of 6 bins
///     ...
///     SeqPoints | Held against | On other machines
Report seqpoint_report(const planner::seqpoint::Projection& projection);

inline constexpr const char* kHistogram = "histogram";
inline constexpr const char* kSecondsPicture = "seconds";
/// A run's lengths. `of`: `kHistogram`, `kSecondsPicture` (with the truth, if known) or the name of a statistic. The
/// SeqPoints are marked in each.
svg::Picture seqpoint_picture(const planner::seqpoint::Projection& projection, const std::string& of);

}  // namespace cli
