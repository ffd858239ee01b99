// Models of two to four parameters (Extra-P's modeler Multi-Parameter; Calotoiu et al., IEEE Cluster 2016): the best
// term of each parameter alone, then the sum, product or mixture of these terms that describes all points best.
#pragma once

#include <span>
#include <vector>

#include "planner/scaling/single_search.h"

namespace planner::scaling {

struct MultiOptions {
  FitOptions single = {};    // of the models of one parameter
  bool rank_by_rss = false;  // of the models of several
  /// The models of one parameter are fitted to the longest rows that share their other coordinates, averaged; with
  /// this, only to the row with the smallest coordinates in the other parameters.
  bool smallest_row = false;
  bool mixtures = true;  // of sums and products, in addition to the plain sum and the plain product
};

/// A row is a series of one parameter, cut out of one of several.
struct ParameterRow {
  std::vector<double> points, values;
};

/// Returns the rows that the models of one parameter each are fitted to, by `options`.
std::vector<ParameterRow> rows_of(std::span<const std::vector<double>> points, std::span<const double> values,
                                  const MultiOptions& options);

struct MultiFit {
  Fit fit;
  /// Another mixture of the same terms is equally good to the last digits: the points do not distinguish them (for
  /// example, they lie on the axes), and the choice is arbitrary. Points off the axes resolve it.
  bool ambiguous = false;
};

/// Returns the best sum or product of models of one parameter. `points` holds the coordinates of each point, one per
/// parameter. A parameter with fewer than three points in its row counts as one that does not matter.
MultiFit fit_multi(std::span<const std::vector<double>> points, std::span<const double> values,
                   const MultiOptions& options = {});

}  // namespace planner::scaling
