// Predictions against measurements: errors, figures per group and in all, and how well layouts are ranked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/studies/runs/predict.h"

namespace planner {

/// A run with its prediction. error = (predicted - measured) / measured.
struct ScoredRun {
  Run run;
  std::string problem;                           // of score_problems: equal for runs that differ in layout only
  Prediction prediction;                         // valid unless it is skipped
  std::optional<double> measured_seconds;        // of a rate: the planned time at that rate
  std::optional<double> predicted_memory_bytes;  // of the kind that was measured
  std::optional<double> error, memory_error;
  std::optional<double> unseen_error;  // of the step as if its family had no measurements

  bool skipped() const { return !prediction.skipped.empty(); }
};

/// Of steps' times. All fractions; empty where there is nothing to sum.
struct TimeFigures {
  std::optional<double> mape, median_ape, max_ape, bias;
  std::optional<double> within_10_percent, inside_interval;  // shares of the predicted times
  std::optional<double> half_width;                          // of the 80 % interval, the median
};

struct Figures {
  int64_t rows = 0, predicted = 0, skipped = 0;
  TimeFigures time, unseen;  // unseen: as if the families of the rows had no measurements
  std::optional<double> memory_mape;
  std::optional<double> mean_group_mape;  // every group has equal weight; of one group: its mape
};

struct GroupFigures {
  std::string group;
  Figures figures;
};

/// Layouts of one problem; equal layouts are one, with their median times.
struct ProblemScore {
  std::string problem;
  int64_t layouts = 0;
  double regret = 0;                       // measured time of the layout predicted best / best measured - 1
  std::optional<double> rank_correlation;  // Spearman's; empty where one side is all equal
};

struct Score {
  std::vector<ScoredRun> rows;
  Figures summary;
  std::vector<GroupFigures> groups;    // in order of first appearance
  std::vector<GroupFigures> classes;   // kinds of jobs, generations, widths, numbers of compared runs, as they appear
  std::vector<GroupFigures> families;  // software, generation, kind and width, as they first appear
  std::vector<ProblemScore> problems;  // of two layouts and more, in order of first appearance
};

/// Predicts every run and scores it. A run with nothing measured to compare is skipped.
Score score_runs(std::vector<Run> runs, const dsl::Catalog& catalog, const std::vector<dsl::Override>& overrides = {});

/// The pieces of score_runs.
ScoredRun score_run(Run run, Prediction prediction);
Figures figures_of(std::span<const ScoredRun* const> rows);
/// Gives every row its problem, and scores the problems.
std::vector<ProblemScore> score_problems(std::vector<ScoredRun>& rows);

/// REQUIRES: not empty.
double median(std::vector<double> values);
/// Ties share their mean rank. Empty for fewer than two values and where one side is all equal. REQUIRES: equal sizes.
std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace planner
