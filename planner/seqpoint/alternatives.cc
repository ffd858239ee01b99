#include "planner/seqpoint/alternatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace planner::seqpoint {
namespace {

std::vector<Point> one(const Epoch& epoch, size_t at) { return {{at, epoch.iterations()}}; }

std::vector<Point> frequent(const Epoch& epoch, const AlternativeOptions&) {
  const auto most = std::max_element(epoch.lengths.begin(), epoch.lengths.end(),
                                     [](const auto& a, const auto& b) { return a.iterations < b.iterations; });
  return one(epoch, static_cast<size_t>(most - epoch.lengths.begin()));
}

std::vector<Point> median(const Epoch& epoch, const AlternativeOptions&) {
  std::vector<size_t> sorted = epoch.order;
  const auto middle = sorted.begin() + (epoch.iterations() - 1) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return one(epoch, *middle);
}

std::vector<Point> worst(const Epoch& epoch, const AlternativeOptions&) {
  const std::vector<double> times = epoch.times();
  const double mean = total_seconds(epoch, times) / static_cast<double>(epoch.iterations());
  const auto farthest = std::max_element(times.begin(), times.end(),
                                         [&](double a, double b) { return std::abs(a - mean) < std::abs(b - mean); });
  return one(epoch, static_cast<size_t>(farthest - times.begin()));
}

std::vector<Point> prior(const Epoch& epoch, const AlternativeOptions& options) {
  if (epoch.iterations() <= kPriorIterations) return {};  // it would see the whole run
  const int64_t begin = std::min(options.warmup, epoch.iterations() - kPriorIterations);
  std::map<size_t, int64_t> counts;
  for (int64_t i = begin; i < begin + kPriorIterations; ++i) ++counts[epoch.order[static_cast<size_t>(i)]];
  std::vector<Point> points;
  for (const auto& [at, count] : counts) points.push_back({at, count});
  return points;
}

std::vector<Point> kmeans(const Epoch& epoch, const AlternativeOptions& options) {
  std::vector<Point> points;
  for (const Group& group : cluster_times(epoch, options.clusters)) points.push_back(representative(epoch, group));
  return points;
}

struct AlternativeRow {
  const char* name;
  std::vector<Point> (*points)(const Epoch&, const AlternativeOptions&);
};
constexpr std::array kRows{AlternativeRow{"frequent", frequent}, AlternativeRow{"median", median},
                           AlternativeRow{"worst", worst}, AlternativeRow{"prior", prior},
                           AlternativeRow{"kmeans", kmeans}};

constexpr int kMostSteps = 1000;

/// Lengths by run time, and k-means in the one dimension that is left: groups are runs of neighbours.
class Clusters {
 public:
  Clusters(const Epoch& epoch, int64_t k) : epoch_(epoch), by_time_(epoch.lengths.size()) {
    std::iota(by_time_.begin(), by_time_.end(), size_t{0});
    std::stable_sort(by_time_.begin(), by_time_.end(), [&](size_t a, size_t b) { return seconds(a) < seconds(b); });
    double iterations = 0;
    for (const size_t at : by_time_) {
      iterations_.push_back(iterations += count(at));
      seconds_.push_back((seconds_.empty() ? 0 : seconds_.back()) + count(at) * seconds(at));
    }
    for (int64_t i = 0; i < k; ++i) {
      const double share = iterations * (static_cast<double>(i) + 0.5) / static_cast<double>(k);
      const auto at = std::lower_bound(iterations_.begin(), iterations_.end(), share) - iterations_.begin();
      centers_.push_back(seconds(by_time_[static_cast<size_t>(at)]));
    }
  }

  std::vector<Group> groups() {
    for (int step = 0; step < kMostSteps && assign(); ++step) move_centers();
    std::vector<Group> out;
    for (size_t i = 0, begin = 0; i < ends_.size(); begin = ends_[i++])
      if (ends_[i] > begin) {
        out.emplace_back(by_time_.begin() + static_cast<std::ptrdiff_t>(begin),
                         by_time_.begin() + static_cast<std::ptrdiff_t>(ends_[i]));
        std::sort(out.back().begin(), out.back().end());
      }
    return out;
  }

 private:
  double seconds(size_t at) const { return epoch_.lengths[at].seconds; }
  double count(size_t at) const { return static_cast<double>(epoch_.lengths[at].iterations); }

  /// Each length to the nearest center, of two to the smaller; false: nothing changed.
  bool assign() {
    std::vector<size_t> ends;
    for (size_t i = 0; i + 1 < centers_.size(); ++i) {
      const double middle = (centers_[i] + centers_[i + 1]) / 2;
      const auto end =
          std::partition_point(by_time_.begin(), by_time_.end(), [&](size_t at) { return seconds(at) <= middle; });
      ends.push_back(static_cast<size_t>(end - by_time_.begin()));
    }
    ends.push_back(by_time_.size());
    return ends != std::exchange(ends_, ends);
  }

  void move_centers() {
    for (size_t i = 0, begin = 0; i < ends_.size(); begin = ends_[i++]) {
      if (ends_[i] == begin) continue;  // an empty group keeps its center
      const auto sum = [&](const std::vector<double>& upto) {
        return upto[ends_[i] - 1] - (begin == 0 ? 0 : upto[begin - 1]);
      };
      centers_[i] = sum(seconds_) / sum(iterations_);
    }
    std::sort(centers_.begin(), centers_.end());
  }

  const Epoch& epoch_;
  std::vector<size_t> by_time_;
  std::vector<double> iterations_, seconds_;  // of the lengths up to each, by time
  std::vector<double> centers_;
  std::vector<size_t> ends_;  // of the groups in `by_time_`, one behind the last
};

}  // namespace

std::vector<Sample> alternatives(const Epoch& epoch, const AlternativeOptions& options) {
  std::vector<Sample> samples;
  for (const AlternativeRow& row : kRows) {
    Sample sample{.name = row.name, .points = row.points(epoch, options)};
    if (sample.points.empty()) continue;
    // Prior runs each of its iterations, the others each length once.
    sample.runs = row.points == prior ? kPriorIterations : static_cast<int64_t>(sample.points.size());
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Group> cluster_times(const Epoch& epoch, int64_t k) { return Clusters(epoch, k).groups(); }

}  // namespace planner::seqpoint
