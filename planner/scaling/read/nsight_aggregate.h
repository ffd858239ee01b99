// Kernels of many profiles as series: medians over the ranks and over the repetitions (Extra-Deep, section 2.2, steps 2
// to 4), and sums of them by category for models of the whole application.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/scaling/read/experiment_builder.h"
#include "planner/scaling/read/nsight_events.h"

namespace planner::scaling {

inline constexpr size_t kFewestConfigurations = 5;  // of a kernel that is modelled (Extra-Deep, section 2.2)

/// Series are called as their kernels are, those of validation steps "validation->NAME"; a value is the median over the
/// ranks of one repetition, and a rank without the kernel counts as zero. "application->computation" and its siblings
/// have one value at a point: the sum of the kernels' medians over the repetitions.
class Aggregate {
 public:
  /// `place`: where the series are named.
  Aggregate(ExperimentBuilder& builder, dsl::Diagnostics& diagnostics, dsl::Span place)
      : builder_(builder), diagnostics_(diagnostics), place_(place) {}

  /// Adds the kernels of one rank.
  void add(size_t point, long repetition, std::span<const StepKernel> kernels);
  void finish();

 private:
  using Values = std::array<double, 3>;  // time, visits, bytes
  struct SeenKernel {
    KernelCategory category = KernelCategory::none;
    bool has_bytes = false;
    std::map<size_t, std::map<long, std::vector<Values>>> ranks;  // by point and repetition: ranks that have it
  };
  using Key = std::pair<Phase, std::string>;

  static Values median(const std::vector<Values>& all, size_t count);
  std::map<size_t, std::vector<Values>> medians(Phase phase, const SeenKernel& seen);
  void add_kernel(const Key& key, const SeenKernel& seen);
  void add_application();
  void measure(const std::string& callpath, size_t metric, Phase phase, KernelCategory category, size_t point,
               double value);
  void tell_rare();

  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  dsl::Span place_;
  std::map<size_t, std::map<long, size_t>> ranks_;  // by point and repetition: how many
  std::map<Key, SeenKernel> seen_;
  std::map<std::tuple<Phase, KernelCategory, size_t>, std::map<size_t, double>> application_;  // by metric and point
  std::vector<Rare> rare_;
};

}  // namespace planner::scaling
