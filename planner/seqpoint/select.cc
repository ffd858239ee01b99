#include "planner/seqpoint/select.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace planner::seqpoint {
namespace {

// Two lengths of as many iterations are equally far from their mean: rounding shall not choose.
constexpr double kTie = 1e-9;

Selection with_bins(const Epoch& epoch, std::vector<Group> bins, int64_t count) {
  Selection selection{.sample = {.name = "seqpoint"}, .bins = std::move(bins), .bin_count = count};
  for (const Group& bin : selection.bins) selection.sample.points.push_back(representative(epoch, bin));
  selection.sample.runs = static_cast<int64_t>(selection.bins.size());
  return selection;
}

std::vector<Group> one_each(size_t lengths) {
  std::vector<Group> bins;
  for (size_t i = 0; i < lengths; ++i) bins.push_back({i});
  return bins;
}

}  // namespace

double projected_seconds(const Epoch& epoch, const Sample& sample, const std::vector<double>& times) {
  double sum = 0;
  int64_t weights = 0;
  for (const Point& p : sample.points) {
    sum += static_cast<double>(p.weight) * times[p.at];
    weights += p.weight;
  }
  return sum * (static_cast<double>(epoch.iterations()) / static_cast<double>(weights));
}

double projection_error(const Epoch& epoch, const Sample& sample, const std::vector<double>& times) {
  const double actual = total_seconds(epoch, times);
  return (projected_seconds(epoch, sample, times) - actual) / actual;
}

// The mean over iterations, not over lengths: times their number it is what the group really takes.
Point representative(const Epoch& epoch, const Group& group) {
  double sum = 0;
  int64_t iterations = 0;
  for (const size_t at : group) {
    sum += static_cast<double>(epoch.lengths[at].iterations) * epoch.lengths[at].seconds;
    iterations += epoch.lengths[at].iterations;
  }
  const double mean = sum / static_cast<double>(iterations);
  const auto distance = [&](size_t at) { return std::abs(epoch.lengths[at].seconds - mean); };
  size_t nearest = group.front();
  for (const size_t at : group)
    if (distance(at) < distance(nearest) - kTie * mean) nearest = at;
  return {nearest, iterations};
}

std::vector<Group> equal_bins(const Epoch& epoch, int64_t k) {
  const int64_t shortest = epoch.lengths.front().length, range = epoch.lengths.back().length - shortest;
  std::vector<Group> bins;
  int64_t open = -1;
  for (size_t i = 0; i < epoch.lengths.size(); ++i) {
    const int64_t offset = epoch.lengths[i].length - shortest;
    const int64_t number = range == 0 ? 0 : std::min(k - 1, offset * k / range);
    if (number != std::exchange(open, number)) bins.emplace_back();
    bins.back().push_back(i);
  }
  return bins;
}

Selection select_seqpoints(const Epoch& epoch, const SelectOptions& options) {
  const auto lengths = static_cast<int64_t>(epoch.lengths.size());
  const std::vector<double> times = epoch.times();
  if (lengths <= options.all_up_to) {
    Selection all = with_bins(epoch, one_each(epoch.lengths.size()), lengths);
    all.met = true;
    return all;
  }
  Selection best;
  double least = 0;
  const int64_t most = std::max(options.first_bins, std::min(lengths, kMostBins));
  for (int64_t k = options.first_bins; k <= most; ++k) {
    Selection next = with_bins(epoch, equal_bins(epoch, k), k);
    const double error = std::abs(projection_error(epoch, next.sample, times));
    next.met = error <= options.threshold;
    if (best.bin_count == 0 || error < least) best = std::move(next), least = error;
    if (best.met) break;
  }
  return best;
}

}  // namespace planner::seqpoint
