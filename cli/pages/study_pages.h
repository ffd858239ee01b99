// The reports of studies: runs, recipes, papers, roadmaps, communication, SeqPoints and placements of tables. Keys and
// order: docs/output.md.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"

namespace planner {
struct Algorithm;
struct CommAnalysis;
struct RecipeScore;
struct Region;
struct RoadmapCell;
struct Scenario;
struct Score;
struct StudyRow;
namespace seqpoint {
struct Projection;
}
namespace tables {
struct Comparison;
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

inline constexpr const char* kHistogram = "histogram";
inline constexpr const char* kSecondsPicture = "seconds";
/// trainplan.seqpoint/1. Rows are the SeqPoints. Its picture is of the run's lengths, with the SeqPoints marked.
/// `picture`: `kHistogram`, `kSecondsPicture` (with the truth, if known) or the name of a statistic. REQUIRES: the
/// projection outlives the report.
///
///     gnmt on vega-fe-16gb: 453 iterations, 24 lengths, 6 SeqPoints of 6 bins
///     ...
///     SeqPoints | Held against | On other machines
Report seqpoint_report(const planner::seqpoint::Projection& projection, const std::string& picture);

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

/// trainplan.shard/1, with a bar of lookups and messages for each rank. REQUIRES: the comparison outlives the report.
///
///     26 tables of 84.9 GiB on 8 x a100-sxm-80gb: batch 65536
///
///     sharder  step  load  lookup  all-to-all  sent  memory
///     naive    ...
///
///     Best: local-search, by rank
///     ...
Report tables_report(const std::string& gpu, const planner::tables::Comparison& comparison);

}  // namespace cli
