// SeqPoints: a few sequence lengths whose iterations, weighted, represent an epoch (Pati 2024, section 3.3.3, figure
// 3.8).
//
//     1 the epoch's lengths with their run times          epoch.h
//     2 k bins of equal width in sequence length          k = 5 at first; at most 10 lengths are all SeqPoints
//     3 of each bin the length whose run time is nearest the bin's mean
//     4 its weight: iterations of the bin
//     5 projection = w1 s1 + ... + wk sk                  equation 3.1
//     6 k + 1 until the error is within the threshold
#pragma once

#include <string>
#include <vector>

#include "planner/seqpoint/epoch.h"

namespace planner::seqpoint {

/// A length to run, and the number of iterations that it represents.
struct Point {
  size_t at = 0;  // position in the epoch's lengths
  int64_t weight = 0;
};

/// Iterations that represent an epoch, by whatever method.
struct Sample {
  std::string name;
  std::vector<Point> points;
  int64_t runs = 0;  // iterations that must be run for it
};

/// Returns N * sum(w s) / sum(w): equation 3.1, normalised by the weights where they are not the epoch's N iterations.
/// `times` are seconds by length.
double projected_seconds(const Epoch& epoch, const Sample& sample, const std::vector<double>& times);

/// Returns (projected - actual) / actual.
double projection_error(const Epoch& epoch, const Sample& sample, const std::vector<double>& times);

struct SelectOptions {
  double threshold = 0.001;  // largest error of the projection; the chapter leaves it to the user
  int64_t all_up_to = 10;    // the chapter's n
  int64_t first_bins = 5;
};

/// There are never more bins than these: a thousand points summarise nothing.
inline constexpr int64_t kMostBins = 1000;

/// Lengths that one point represents: their positions in the epoch, ascending.
using Group = std::vector<size_t>;

struct Selection {
  Sample sample;            // "seqpoint"
  std::vector<Group> bins;  // of each point
  int64_t bin_count = 0;    // k, with the bins that no length falls into; without binning the number of lengths
  bool met = false;         // the threshold holds; else `sample` has the least error of all k, then the fewest bins
};

/// Selects the SeqPoints of an epoch. REQUIRES: at least one iteration; times whose sum is above zero.
Selection select_seqpoints(const Epoch& epoch, const SelectOptions& options);

/// Returns the non-empty ones of `k` bins between the shortest and the longest length, closed on the left, the last on
/// both sides.
std::vector<Group> equal_bins(const Epoch& epoch, int64_t k);

/// Returns the length of a group whose time is nearest the mean over the group's iterations, ties to the shorter, and
/// how many these are.
Point representative(const Epoch& epoch, const Group& group);

}  // namespace planner::seqpoint
