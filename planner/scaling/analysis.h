// Speed-up, efficiency and cost according to a model of a training time, and which configuration to buy (Extra-Deep,
// section 3).
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "dsl/enum_words.h"
#include "planner/scaling/models.h"

namespace planner::scaling {

/// In weak scaling the work grows with the ranks, and the time should stay; in strong scaling the work stays, and the
/// time should fall.
enum class Scaling { weak, strong };
inline constexpr auto& kScalingNames = dsl::kEnumWords<Scaling>;

/// The components of one figure of cost.
struct Spent {
  double x = 0, seconds = 0, core_hours = 0, gpu_hours = 0;
};

struct AnalysisOptions {
  size_t parameter = 0;            // the ranks
  std::optional<Scaling> scaling;  // none: strong where the model falls from the first point to the last, else weak
  std::vector<double> at;          // values of the parameter; empty: the measured points
  double cores_per_rank = 1, gpus_per_rank = 1;
  std::function<double(const Spent&)> price;  // cost of a configuration; empty: its core hours
  std::optional<double> budget, time_limit;   // in the unit of cost; seconds
  std::optional<double> extrapolate_to;       // largest value to consider; nullopt: `kReach`
};

struct AnalysisPoint {
  double x = 0, seconds = 0;
  std::optional<Interval> confidence, prediction;  // 95 %; nullopt: the model is given, or segmented
  double speedup_percent = 0;       // eq. 11: (T1 - Tk) / (T1 / 100), a run-time reduction; 0 at the base
  double efficiency_extradeep = 1;  // eq. 13: speedup_percent over (xk - x1) / (x1 / 100); 1 at the base by definition
  double speedup = 1;               // strong T1 / Tk; weak (T1 / Tk) xk / x1
  double parallel_efficiency = 1;   // strong T1 x1 / (Tk xk); weak T1 / Tk
  double core_hours = 0;            // eq. 14 with its 1 / 3600: T x cores / 3600
  double gpu_hours = 0;
  double cost = 0;
};

/// The configurations that meet the budget and the time limit, and the recommended one: for strong scaling that of the
/// highest parallel efficiency, for weak scaling that of the fewest ranks (section 3.3). Whole numbers of ranks are
/// considered.
struct RankChoice {
  std::vector<std::pair<double, double>> valid;  // both ends hold
  std::optional<AnalysisPoint> best;             // none: no configuration meets both
};

struct Analysis {
  Scaling scaling = Scaling::weak;
  double base = 0;  // x1: the smallest point
  std::vector<AnalysisPoint> points;
  RankChoice choice;
};

/// Analyses models one after another; models over the same ranks share intermediate results. `options` outlive it.
class Analyser {
 public:
  explicit Analyser(const AnalysisOptions& options) : options_(options) {}

  /// Returns efficiency and cost along the ranks. `time` gives seconds; other parameters stay at their largest measured
  /// value, 1 where nothing was. `cost` models the cost itself, in place of the time's. REQUIRES: the model has points,
  /// or `options.at` is not empty.
  Analysis analyse(const Model& time, const Model* cost = nullptr);

 private:
  const AnalysisOptions& options_;
  std::optional<FactorTable> ranks_;  // whole numbers that were considered last
};

/// Returns an `Analyser`'s analysis of one model.
Analysis analyse(const Model& time, const AnalysisOptions& options, const Model* cost = nullptr);

}  // namespace planner::scaling
