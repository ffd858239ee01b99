#include "planner/seqpoint/alternatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

}  // namespace planner::seqpoint
