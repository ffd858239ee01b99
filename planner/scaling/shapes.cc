#include "planner/scaling/shapes.h"

#include <algorithm>

namespace planner::scaling {
namespace {

/// In the order of Extra-P 4.2.5 (extrap/modelers/single_parameter/basic.py, BSD-3-Clause).
constexpr TermShape kDefault[] = {
    {{0, 1}, {1}}, {{0, 1}, {2}}, {{1, 4}, {0}}, {{1, 3}, {0}}, {{1, 4}, {1}},  {{1, 3}, {1}}, {{1, 4}, {2}},
    {{1, 3}, {2}}, {{1, 2}, {0}}, {{1, 2}, {1}}, {{1, 2}, {2}}, {{2, 3}, {0}},  {{3, 4}, {0}}, {{2, 3}, {1}},
    {{3, 4}, {1}}, {{4, 5}, {0}}, {{2, 3}, {2}}, {{3, 4}, {2}}, {{1, 1}, {0}},  {{1, 1}, {1}}, {{1, 1}, {2}},
    {{5, 4}, {0}}, {{5, 4}, {1}}, {{4, 3}, {0}}, {{4, 3}, {1}}, {{3, 2}, {0}},  {{3, 2}, {1}}, {{3, 2}, {2}},
    {{5, 3}, {0}}, {{7, 4}, {0}}, {{2, 1}, {0}}, {{2, 1}, {1}}, {{2, 1}, {2}},  {{9, 4}, {0}}, {{7, 3}, {0}},
    {{5, 2}, {0}}, {{5, 2}, {1}}, {{5, 2}, {2}}, {{8, 3}, {0}}, {{11, 4}, {0}}, {{3, 1}, {0}}, {{3, 1}, {1}}};

bool has_logarithm(const TermShape& shape) { return shape.logarithm.numerator != 0; }

}  // namespace

std::vector<TermShape> default_shapes(bool logarithms, bool negative) {
  std::vector<TermShape> shapes;
  for (const TermShape& shape : kDefault)
    if (logarithms || !has_logarithm(shape)) shapes.push_back(shape);
  if (!negative) return shapes;
  for (const bool with : {true, false})  // logarithms: those come first
    for (const TermShape& shape : kDefault)
      if (has_logarithm(shape) == with && (logarithms || !with))
        shapes.push_back({-shape.polynomial, -shape.logarithm});
  return shapes;
}

bool logarithms_exist(std::span<const double> points, bool negative) {
  return std::ranges::all_of(points, [&](double x) { return negative ? x > 1 : x >= 1; });
}

}  // namespace planner::scaling
