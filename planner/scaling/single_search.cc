#include "planner/scaling/single_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Below this share of the least value a constant is numerical noise and is set to 0: in a fold, and in a fit that is
/// not cross-validated (Extra-P 4.2.5: epsilon and CLEAN_CONSTANT_EPSILON).
constexpr double kFoldNoise = 5e-4, kFitNoise = 1e-3;

/// Below this share of the whole spread, the sum without a point is computed anew.
constexpr double kCancelled = 1e-3;

/// More than the rounding of a sum over its number.
constexpr double kRounding = 1e-12;

double cleaned(double constant, double least, double noise) {
  return std::abs(constant) < noise * (least == 0 ? 1 : std::abs(least)) ? 0 : constant;
}

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

/// The two least values: leaving the least out leaves the second.
struct SingleSearch::Values {
  explicit Values(std::span<const double> values) : y(values), mean(mean_of(values)) {
    least = second = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < y.size(); ++i) {
      if (y[i] < least) {
        second = std::exchange(least, y[i]);
        least_at = i;
      } else {
        second = std::min(second, y[i]);
      }
    }
  }
  double least_without(size_t i) const { return i == least_at ? second : least; }

  std::span<const double> y;
  double mean, least, second;
  size_t least_at = 0;
};

SingleSearch::SingleSearch(std::span<const double> points, std::vector<TermShape> shapes, const FitOptions& options)
    : count_(points.size()), options_(options), shapes_(std::move(shapes)) {
  columns_.reserve(shapes_.size());
  t_.reserve(shapes_.size() * count_);
  folds_.reserve(shapes_.size() * count_);
  for (const TermShape& shape : shapes_) add_column(points, shape);
}

void SingleSearch::add_column(std::span<const double> points, const TermShape& shape) {
  for (const double x : points) t_.push_back(shape.at(x));
  const std::span t(t_.end() - static_cast<std::ptrdiff_t>(count_), t_.end());
  columns_.push_back({mean_of(t), spread_of(t)});
  for (size_t i = 0; i < count_; ++i) folds_.push_back(make_fold(columns_.back(), t.data(), i));
}

SingleSearch::Fold SingleSearch::make_fold(const ShapeColumn& column, const double* t, size_t left_out) const {
  const double n = static_cast<double>(count_), distance = t[left_out] - column.mean;
  Fold fold{column.mean - distance / (n - 1), 0, false};
  double spread = column.spread - n / (n - 1) * distance * distance;
  fold.direct = spread < kCancelled * column.spread;
  if (fold.direct) {
    fold.mean = spread = 0;
    for (size_t i = 0; i < count_; ++i) fold.mean += i == left_out ? 0 : t[i] / (n - 1);
    for (size_t i = 0; i < count_; ++i) spread += i == left_out ? 0 : (t[i] - fold.mean) * (t[i] - fold.mean);
  }
  fold.inverse_spread = 1 / spread;
  return fold;
}

double SingleSearch::sum_of_products(size_t shape, const Values& values) const {
  const double *t = &t_[shape * count_], mean = columns_[shape].mean;
  double sum = 0;
  for (size_t i = 0; i < count_; ++i) sum += (t[i] - mean) * (values.y[i] - values.mean);
  return sum;
}

TermLine SingleSearch::line(size_t shape, const Values& values) const {
  const double slope = sum_of_products(shape, values) / columns_[shape].spread;
  return {values.mean - slope * columns_[shape].mean, slope};
}

/// `sum`: of the products with all points.
TermLine SingleSearch::fold_line(size_t shape, const Values& values, size_t left_out, double sum) const {
  const double n = static_cast<double>(count_), *t = &t_[shape * count_];
  const Fold& fold = folds_[shape * count_ + left_out];
  const double distance = values.y[left_out] - values.mean, mean = values.mean - distance / (n - 1);
  if (fold.direct) {
    sum = 0;
    for (size_t i = 0; i < count_; ++i) sum += i == left_out ? 0 : (t[i] - fold.mean) * (values.y[i] - mean);
  } else {
    sum -= n / (n - 1) * (t[left_out] - columns_[shape].mean) * distance;
  }
  const double slope = sum * fold.inverse_spread;
  return {cleaned(mean - slope * fold.mean, values.least_without(left_out), kFoldNoise), slope};
}

/// `to_beat`: of a shape that does not go below it as much as is enough to know.
double SingleSearch::score(size_t shape, const Values& values, double to_beat) const {
  if (!options_.cross_validation) {
    const Quality quality = plain_quality(shape, values);
    return options_.rank_by_rss ? quality.rss : quality.smape;
  }
  const double sum = sum_of_products(shape, values), *t = &t_[shape * count_];
  const double n = static_cast<double>(count_);
  const double enough = to_beat * (1 + kRounding) * (options_.rank_by_rss ? 1 : n);  // no point makes it less
  double score = 0;
  for (size_t i = 0; i < count_ && !(score > enough); ++i) {
    const TermLine line = fold_line(shape, values, i, sum);
    const double predicted = line.constant + line.slope * t[i], difference = predicted - values.y[i];
    score += options_.rank_by_rss ? difference * difference : percentage_error(predicted, values.y[i]);
  }
  return options_.rank_by_rss ? score : score / n;
}

bool SingleSearch::contributes(size_t shape, const TermLine& line, std::span<const double> values) const {
  const double* t = &t_[shape * count_];
  if (line.slope == 0) return false;
  for (size_t i = 0; i < count_; ++i)
    if (!(std::abs(line.slope * t[i] / values[i]) < options_.least_contribution)) return true;
  return false;
}

std::optional<size_t> SingleSearch::best(std::span<const double> y, std::optional<double> to_beat) const {
  const Values values(y);
  std::optional<size_t> best;
  for (size_t shape = 0; shape < shapes_.size(); ++shape) {
    const double reached = score(shape, values, to_beat.value_or(std::numeric_limits<double>::infinity()));
    if (!std::isfinite(reached)) continue;
    if (to_beat && !(reached < *to_beat && contributes(shape, line(shape, values), y))) continue;
    to_beat = reached;
    best = shape;
  }
  return best;
}

Quality SingleSearch::validated_quality(size_t shape, const Values& values) const {
  const double sum = sum_of_products(shape, values), *t = &t_[shape * count_], n = static_cast<double>(count_);
  Quality quality;
  for (size_t i = 0; i < count_; ++i) {
    const TermLine line = fold_line(shape, values, i, sum);
    const double actual = values.y[i], predicted = line.constant + line.slope * t[i], difference = predicted - actual;
    quality.rss += difference * difference;
    quality.nrss += std::sqrt(quality.rss) / ((values.mean * n - actual) / (n - 1)) / n;
    quality.smape += percentage_error(predicted, actual) / n;
    if (actual == 0) continue;
    quality.re += std::abs(difference / actual) / n;
    quality.rrss += difference / actual * (difference / actual);
  }
  return quality;
}

Quality SingleSearch::plain_quality(size_t shape, const Values& values) const {
  const double* t = &t_[shape * count_];
  TermLine line = this->line(shape, values);
  line.constant = cleaned(line.constant, values.least, kFitNoise);
  return quality_of([&](size_t i) { return line.constant + line.slope * t[i]; }, values.y);
}

Fit SingleSearch::fit(size_t shape, std::span<const double> y) const {
  const Values values(y);
  const bool validated = options_.cross_validation;
  Fit fit{{}, validated ? validated_quality(shape, values) : plain_quality(shape, values)};
  fit.quality.ar2 = adjusted_r2(fit.quality.rss, spread_of(y), count_, 1);
  TermLine line = this->line(shape, values);
  if (!validated) line.constant = cleaned(line.constant, values.least, kFitNoise);
  fit.model.constant = line.constant;
  fit.model.terms = {{line.slope, {{0, shapes_[shape].polynomial, shapes_[shape].logarithm}}}};
  return fit;
}

}  // namespace planner::scaling
