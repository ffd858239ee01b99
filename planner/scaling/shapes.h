// The shapes x^i * log2(x)^j that are tried on the values of one parameter. Which, and in which order, is part of the
// answer: of two shapes that describe the values equally well the first is taken (as Extra-P 4.2.5 does).
#pragma once

#include <span>
#include <vector>

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

}  // namespace planner::scaling
