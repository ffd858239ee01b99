// Models of one parameter: the best single term of a fixed list, the best exponents by refinement, two models where the
// values change their law on the way.
#pragma once

#include <span>
#include <vector>

#include "planner/scaling/single_search.h"

namespace planner::scaling {

inline constexpr size_t kLeastPoints = 5;  // for a model that is worth its name; fewer are fitted, down to three

/// Fits many series measured at the same points. Extra-P's modeler Basic.
class SingleFitter {
 public:
  /// REQUIRES: at least two points; of two every model is a constant.
  explicit SingleFitter(std::span<const double> points, const FitOptions& options = {});
  Fit fit(std::span<const double> values) const;

 private:
  FitOptions options_;
  SingleSearch search_;
};

Fit fit_single(std::span<const double> points, std::span<const double> values, const FitOptions& options = {});

/// Searches exponents of polynomials up to 5 and of logarithms up to 2, halved towards the best (Extra-P's modeler
/// Refining; the mediants of Reisert et al., Euro-Par 2017). A constant stays unless it is beaten 1.3 times.
Fit fit_refining(std::span<const double> points, std::span<const double> values, const FitOptions& options = {});

struct SegmentedFit {
  std::vector<Fit> parts;  // one, or two in the order of the parameter
  std::vector<double>
      change_points;  // of two parts: the point both share, or the last of one and the first of the next
  Quality quality;    // of both parts together
};

/// Looks for a change of law in the errors of the fits to every five neighbouring points (Extra-P's modeler Segmented;
/// Ilyas, Calotoiu, Wolf, Euro-Par 2017). REQUIRES: at least five points.
SegmentedFit fit_segmented(std::span<const double> points, std::span<const double> values,
                           const FitOptions& options = {});

}  // namespace planner::scaling
