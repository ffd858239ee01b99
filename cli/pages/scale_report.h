// trainplan.scale/1: scaling models, and their analysis.
#pragma once

#include "cli/report/report.h"
#include "planner/scaling/advice.h"
#include "planner/scaling/analysis.h"
#include "planner/scaling/epoch_steps.h"
#include "planner/scaling/ratio_models.h"
#include "planner/studies/against/against.h"

namespace cli {

inline constexpr size_t kMostPages = 3;  // models of a time whose analysis the page shows; more are ranked

/// A model of a time with its analysis.
struct Analysed {
  size_t model;  // index
  planner::scaling::Analysis analysis;
  bool cost_given = false;                              // by a model of the cost, in addition to that of the time
  std::optional<planner::scaling::Ratios> ratios = {};  // nullopt: not requested
};

/// The content of the report.
struct Scaled {
  planner::scaling::Models models;
  std::vector<Analysed> analysed;
  std::vector<planner::scaling::AgainstPoint> against;          // of the only model of a time; empty: not requested
  std::optional<std::vector<planner::scaling::Advice>> advice;  // of all models; nullopt: not requested
  std::vector<planner::scaling::SamplingSaving> sampling = {};  // of profiles with --epoch
};

/// trainplan.scale/1. `title`: the data.
Report scale_report(const std::string& title, const Scaled& scaled);

inline constexpr size_t kMostCurves = 6;  // that a picture can distinguish

/// The first `kMostCurves` of `analysed` along the first parameter, the others at their largest measured value; points
/// measured elsewhere are not shown. The range is from the smallest measured value to twice the largest, extended by
/// `how`, held-back points and the end of a valid region.
/// The band is the prediction interval of each part of a model. For a model compared with a scenario, the planner's own
/// figures are shown too, joined by lines.
svg::Curves scale_picture(const std::string& title, const Scaled& scaled, const planner::scaling::AnalysisOptions& how);

}  // namespace cli
