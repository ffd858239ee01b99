// Models of two to four parameters (Extra-P's modeler Multi-Parameter; Calotoiu et al., IEEE Cluster 2016): the best
// term of each parameter alone, then the sum, product or mixture of these terms that describes all points best.
#pragma once

#include <span>
#include <vector>

#include "planner/scaling/single_search.h"

namespace planner::scaling {

inline constexpr size_t kMostParameters = 4;

struct MultiOptions {
  FitOptions single = {};    // of the models of one parameter
  bool rank_by_rss = false;  // of the models of several
  /// Points for the models of one parameter: the longest rows that share their coordinates, averaged; or only the row
  /// with the smallest coordinates in the other parameters.
  bool smallest_row = false;
  bool mixtures = true;  // of sums and products beside the plain sum and the plain product
};

/// A series of one parameter.
struct Row {
  std::vector<double> points, values;
};

/// The rows for the models of one parameter each, by `options`.
std::vector<Row> rows_of(std::span<const std::vector<double>> points, std::span<const double> values,
                         const MultiOptions& options);

struct MultiFit {
  Fit fit;
  /// Another mixture of the same terms is as good to the last digits: the points do not tell them apart (they lie on
  /// the axes, say), and which was taken is chance. Points off the axes decide.
  bool ambiguous = false;
};

/// `points`: the coordinates of each, one per parameter. A parameter with fewer than three points in its row counts as
/// one that does not matter.
MultiFit fit_multi(std::span<const std::vector<double>> points, std::span<const double> values,
                   const MultiOptions& options = {});

}  // namespace planner::scaling
