// Scaling models as a picture: measured points, fitted curves with their 95 % bands, and where a budget and a time
// limit are met.
#pragma once

#include "cli/pages/scale_report.h"
#include "cli/svg/picture.h"

namespace cli {

inline constexpr size_t kMostCurves = 6;  // that a page can tell apart

/// The first `kMostCurves` of `analysed` along the first parameter, the others at their largest measured value; points
/// measured elsewhere are not shown. From the smallest measured value to twice the largest, or as far as `how`, points
/// that were held back and the end of a valid region reach.
/// The band is the prediction interval of each part of a model. Beside a model that was held against a scenario stand
/// the planner's own figures, joined by lines.
svg::Curves scale_picture(const std::string& title, const Scaled& scaled, const planner::scaling::AnalysisOptions& how);

}  // namespace cli
