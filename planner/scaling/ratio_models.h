// Models of speed-up and efficiency that are fitted to the points' own values, like times (Extra-Deep, equations 11 to
// 13 and section 3.2). They complement the ratios of the time's model, which are quotients of such functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/scaling/analysis.h"
#include "planner/scaling/models.h"

namespace planner::scaling {

/// The fitted ratios, under the names of `AnalysisPoint`. Equation 13 takes the speed-up of its points from the model
/// of the speed-up, like the paper; the usual efficiency takes it from the points.
enum class Ratio { speedup_percent, efficiency_extradeep, parallel_efficiency };
inline constexpr std::array kRatioNames{"speedup_percent", "efficiency_extradeep", "parallel_efficiency"};
inline std::span<const char* const> words(Ratio) { return kRatioNames; }

struct RatioPoint {
  double x = 0, fitted = 0, from_time = 0;
  std::optional<double> own;  // where a time was measured (or a given model has a point)
};

struct RatioModel {
  Ratio of = Ratio::speedup_percent;
  Model model;                     // its `values` are the points' own
  std::vector<RatioPoint> points;  // those of the analysis
  double off_points = 0;           // mean |fitted - own| at the points that were fitted
  double off_time = 0;             // largest |fitted - from_time| of `points`
  std::optional<double> best;      // of strong scaling: the valid configuration of the highest fitted efficiency
};

struct Ratios {
  std::vector<RatioModel> models;
  std::vector<std::string> why;  // what has no model, or oddities of one
  bool given = false;            // the points' times are those of a given model, not measured
};

/// The basis of fitted ratios: a model of a time, and its analysis.
struct RatioSubject {
  const Model* time;
  const Analysis* analysis;
};

/// Returns the ratios of each subject, in order. With several parameters the points are those along `options.parameter`
/// where the others are at their largest.
/// `how`: that of the models of the times. Exponents below zero are tried for a speed-up if they were tried for the
/// time or scaling is strong, and always for an efficiency, unless `how` sets this.
std::vector<Ratios> fit_ratios(std::span<const RatioSubject> subjects, const std::vector<std::string>& parameters,
                               const AnalysisOptions& options, const ModelOptions& how);

}  // namespace planner::scaling
