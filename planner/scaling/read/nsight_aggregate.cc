#include "planner/scaling/read/nsight_aggregate.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/scaling/read/nsight_sums.h"

namespace planner::scaling {
namespace {

constexpr const char* kMetrics[] = {"time", "visits", "bytes"};
constexpr size_t kVisits = 1, kBytes = 2;

const char* name_of(KernelCategory category) {
  switch (category) {
    case KernelCategory::computation:
      return "computation";
    case KernelCategory::communication:
      return "communication";
    case KernelCategory::memory:
      return "memory";
    case KernelCategory::none:
      break;
  }
  return "none";
}

std::string in_phase(Phase phase, const std::string& name) {
  return (phase == Phase::validation ? "validation->" : "") + name;
}

}  // namespace

void Aggregate::add(size_t point, long repetition, std::span<const StepKernel> kernels) {
  ++ranks_[point][repetition];
  for (const StepKernel& kernel : kernels) {
    SeenKernel& seen = seen_[{kernel.phase, kernel.callpath}];
    seen.category = kernel.category;
    seen.has_bytes |= kernel.has_bytes;
    seen.ranks[point][repetition].push_back({kernel.time, kernel.visits, kernel.bytes});
  }
}

void Aggregate::finish() {
  builder_.use_median();
  for (const auto& [key, seen] : seen_) add_kernel(key, seen);
  add_application();
  tell_rare();
}

Aggregate::Values Aggregate::median(const std::vector<Values>& all, size_t count) {
  Values medians = {};
  for (size_t metric = 0; metric < medians.size(); ++metric) {
    std::vector<double> values;
    for (const Values& v : all) values.push_back(v[metric]);
    medians[metric] = median_with_zeros(values, count);
  }
  return medians;
}

// By point, of each repetition; without the points where most ranks or repetitions do not have the kernel.
std::map<size_t, std::vector<Aggregate::Values>> Aggregate::medians(Phase phase, const SeenKernel& seen) {
  std::map<size_t, std::vector<Values>> found;
  for (const auto& [point, repetitions] : seen.ranks) {
    std::vector<Values> values;
    for (const auto& [repetition, ranks] : repetitions) values.push_back(median(ranks, ranks_[point][repetition]));
    const Values middle = median(values, ranks_[point].size());
    if (middle[kVisits] == 0) continue;
    for (size_t metric = 0; metric < middle.size() && seen.category != KernelCategory::none; ++metric)
      application_[{phase, seen.category, metric}][point] += middle[metric];
    found[point] = std::move(values);
  }
  return found;
}

void Aggregate::add_kernel(const Key& key, const SeenKernel& seen) {
  const auto points = medians(key.first, seen);
  const std::string callpath = in_phase(key.first, key.second);
  if (points.size() < kFewestConfigurations) return rare_.push_back({callpath, points.size()});
  for (size_t metric = 0; metric < std::size(kMetrics) - !seen.has_bytes; ++metric)
    for (const auto& [point, values] : points)
      for (const Values& v : values) measure(callpath, metric, key.first, seen.category, point, v[metric]);
}

void Aggregate::measure(const std::string& callpath, size_t metric, Phase phase, KernelCategory category, size_t point,
                        double value) {
  const size_t series = builder_.series(callpath, kMetrics[metric], place_, false);
  builder_.at(series).phase = phase;
  builder_.at(series).category = category;
  builder_.measure(series, point, value, place_);
}

void Aggregate::add_application() {
  for (const auto& [key, points] : application_) {
    const auto [phase, category, metric] = key;
    if (metric == kBytes && category != KernelCategory::memory) continue;
    const std::string callpath = in_phase(phase, fmt::format("application->{}", name_of(category)));
    for (const auto& [point, value] : points) measure(callpath, metric, phase, category, point, value);
  }
}

void Aggregate::tell_rare() {
  constexpr size_t kMostNamed = 5;
  if (rare_.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(rare_.size(), kMostNamed); ++i)
    names += fmt::format("{}{} ({})", i ? ", " : "", rare_[i].callpath, rare_[i].configurations);
  diagnostics_.warning(place_,
                       fmt::format("{} kernel{} in fewer than {} configurations, without a model: {}{}", rare_.size(),
                                   rare_.size() == 1 ? " is" : "s are", kFewestConfigurations, names,
                                   rare_.size() > kMostNamed ? " ..." : ""),
                       "a model of a kernel needs it in five configurations");
  builder_.set_rare(rare_);
}

}  // namespace planner::scaling
