// Searches a list of shapes for the one-term model of one parameter that describes values best.
//
// A straight line over t = shape(x) is fitted in closed form about the means. The fit without a point follows from the
// full fit by subtracting the point from the sums (leave-one-out). Values that depend on the points alone are computed
// once: a thousand call paths measured at the same points share them, and a fit allocates nothing.
//
// The shapes x^i * log2(x)^j that are tried on the values of one parameter. Which, and in which order, is part of the
// answer: of two shapes that describe the values equally well the first is taken (as Extra-P 4.2.5 does).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planner/scaling/quality.h"
#include "planner/scaling/terms.h"

namespace planner::scaling {

/// A shape is one term of one parameter without its coefficient.
struct TermShape {
  Fraction polynomial, logarithm;
  bool operator==(const TermShape&) const = default;
  double at(double x) const { return Factor{0, polynomial, logarithm}.at(x); }
};

/// Returns the 42 default shapes, 19 without logarithms. With `negative` those with negative exponents follow, for
/// values that fall with the parameter (42 more, 19 without logarithms).
std::vector<TermShape> default_shapes(bool logarithms = true, bool negative = false);

/// Returns whether logarithms of all points can be taken: no point lies below 1, and none at 1 where their negative
/// powers are tried.
bool logarithms_exist(std::span<const double> points, bool negative);

struct FitOptions {
  bool cross_validation = true;  // rank shapes by the errors of the fits that leave a point out
  bool rank_by_rss = false;      // instead of by SMAPE
  bool logarithms = true;
  bool negative_exponents = false;   // where values fall with the parameter (strong scaling)
  double least_contribution = 5e-4;  // of a term, at the point where it is largest, as a share of the value
};

/// The line is y = constant + slope * t, where t is the term.
struct TermLine {
  double constant, slope;
};

class SingleSearch {
 public:
  /// REQUIRES: at least two points. With two, no shape can be distinguished from a constant.
  SingleSearch(std::span<const double> points, std::vector<TermShape> shapes, const FitOptions& options);

  const std::vector<TermShape>& shapes() const { return shapes_; }

  /// Returns the first of the shapes whose SMAPE (or RSS) is the lowest, below `to_beat`, and whose term contributes;
  /// nullopt: no shape does. Without `to_beat` the first shape that can be fitted is taken whatever it contributes,
  /// until another beats it. `values` has one per point.
  std::optional<size_t> best(std::span<const double> values, std::optional<double> to_beat) const;

  /// Returns the line over all points, with its errors.
  Fit fit(size_t shape, std::span<const double> values) const;

  /// Returns whether the slope is not 0 and the term reaches the least contribution at one of the points.
  bool contributes(size_t shape, const TermLine& line, std::span<const double> values) const;

 private:
  struct ShapeColumn {
    double mean, spread;  // of t: sum of squared distances to the mean
  };
  struct Fold {  // without one point
    double mean, inverse_spread;
    bool direct;  // the point has nearly all the spread: its sums cannot be had by subtraction
  };
  struct Values;  // of one fit: values, their mean, their least two

  void add_column(std::span<const double> points, const TermShape& shape);
  Fold make_fold(const ShapeColumn& column, const double* t, size_t left_out) const;
  TermLine line(size_t shape, const Values& values) const;
  TermLine fold_line(size_t shape, const Values& values, size_t left_out, double sum) const;
  double sum_of_products(size_t shape, const Values& values) const;
  double score(size_t shape, const Values& values, double to_beat) const;
  Quality validated_quality(size_t shape, const Values& values) const;
  Quality plain_quality(size_t shape, const Values& values) const;

  size_t count_;
  FitOptions options_;
  std::vector<TermShape> shapes_;
  std::vector<ShapeColumn> columns_;  // one per shape
  std::vector<double> t_;             // count_ per shape
  std::vector<Fold> folds_;           // count_ per shape
};

}  // namespace planner::scaling
