// Models of one parameter: what Extra-P finds, what made the values is found again.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "planner/scaling/fit_single.h"
#include "tests/planner/scaling/scaling_pairs.h"

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone
using sample::ScalingPair;
using sample::ScalingSeries;

namespace {

const std::vector<double> kDoubling = {4, 8, 16, 32, 64};

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-6); }

std::vector<double> values_of(const Pmnf& model, const std::vector<double>& points) {
  std::vector<double> values;
  for (const double x : points) values.push_back(model.at(x));
  return values;
}

Pmnf one_term(double constant, double coefficient, const TermShape& shape) {
  return {constant, {{coefficient, {{0, shape.polynomial, shape.logarithm}}}}};
}

void check_model(const Fit& fit, const ScalingPair& pair) {
  CHECK(fit.model.constant == near(pair.constant));
  REQUIRE(fit.model.terms.size() == (pair.coefficient == 0 ? 0 : 1));
  if (pair.coefficient == 0) return;
  const Term& term = fit.model.terms[0];
  CHECK(term.coefficient == near(pair.coefficient));
  CHECK(text(term.factors[0].polynomial) == text(pair.shape.polynomial));
  CHECK(text(term.factors[0].logarithm) == text(pair.shape.logarithm));
}

void check_quality(const Quality& quality, const ScalingPair& pair) {
  CHECK(quality.smape == near(pair.smape));
  CHECK(quality.rss == near(pair.rss));
  CHECK(quality.rrss == near(pair.rrss));
  CHECK(quality.ar2 == near(pair.ar2));
  CHECK(quality.re == near(pair.re));
}

/// Least squares of y over t by the sums themselves, without the point `left_out`.
TermLine textbook_line(const std::vector<double>& t, const std::vector<double>& y, size_t left_out) {
  double n = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    if (i == left_out) continue;
    n += 1, st += t[i], sy += y[i], stt += t[i] * t[i], sty += t[i] * y[i];
  }
  const double slope = (n * sty - st * sy) / (n * stt - st * st);
  return {(sy - slope * st) / n, slope};
}

}  // namespace

TEST_CASE("scaling fit: the models and qualities of Extra-P") {
  for (const ScalingPair& pair : sample::kScalingPairs) {
    CAPTURE(pair.series->name);
    const Fit fit = fit_single(pair.series->points, pair.series->values, pair.options);
    check_model(fit, pair);
    check_quality(fit.quality, pair);
  }
}

TEST_CASE("scaling fit: the refined models of Extra-P") {
  for (const ScalingPair& pair : sample::kRefiningPairs) {
    CAPTURE(pair.series->name);
    const Fit fit = fit_refining(pair.series->points, pair.series->values, pair.options);
    check_model(fit, pair);
    check_quality(fit.quality, pair);
  }
}

TEST_CASE("scaling fit: the default shapes in Extra-P's order") {
  const std::vector<TermShape> shapes = default_shapes();
  REQUIRE(shapes.size() == 42);
  CHECK(shapes.front() == TermShape{{0}, {1}});
  CHECK(shapes[15] == TermShape{{4, 5}, {0}});
  CHECK(shapes.back() == TermShape{{3}, {1}});
  CHECK(default_shapes(false).size() == 19);
  const std::vector<TermShape> both = default_shapes(true, true);
  REQUIRE(both.size() == 84);
  CHECK(both[42] == TermShape{{0}, {-1}});  // first those with logarithms
  CHECK(both[64] == TermShape{{-3}, {-1}});
  CHECK(both[65] == TermShape{{-1, 4}, {0}});  // then those without
  CHECK(both.back() == TermShape{{-3}, {0}});
  CHECK(default_shapes(false, true).size() == 38);
  for (const TermShape& shape : both) CHECK(std::ranges::count(both, shape) == 1);
}

TEST_CASE("scaling fit: each of the shapes is found again") {
  for (const bool negative : {false, true}) {
    for (const TermShape& shape : default_shapes(true, negative)) {
      CAPTURE(text(shape.polynomial));
      CAPTURE(text(shape.logarithm));
      const Pmnf made = one_term(2000, 300, shape);
      const Fit fit = fit_single(kDoubling, values_of(made, kDoubling), {.negative_exponents = negative});
      REQUIRE(fit.model.terms.size() == 1);
      CHECK(fit.model.terms[0].factors[0].polynomial == shape.polynomial);
      CHECK(fit.model.terms[0].factors[0].logarithm == shape.logarithm);
      CHECK(fit.model.terms[0].coefficient == near(300));
      CHECK(fit.model.constant == near(2000));
      CHECK(fit.quality.smape < 1e-6);
      CHECK(fit.model.at(128) == near(made.at(128)));
    }
  }
}

TEST_CASE("scaling fit: values times a factor give the coefficients times it") {
  for (const ScalingPair& pair : sample::kScalingPairs) {
    CAPTURE(pair.series->name);
    std::vector<double> scaled;
    for (const double value : pair.series->values) scaled.push_back(1000 * value);
    const Fit fit = fit_single(pair.series->points, scaled, pair.options);
    CHECK(fit.model.constant == near(1000 * pair.constant));
    if (pair.coefficient != 0) CHECK(fit.model.terms.at(0).coefficient == near(1000 * pair.coefficient));
    CHECK(fit.quality.smape == near(pair.smape));
    CHECK(fit.quality.rss == near(1e6 * pair.rss));
  }
}

TEST_CASE("scaling fit: the order of the points does not matter") {
  const ScalingSeries& series = sample::kExample;
  const std::vector<double> points(series.points.rbegin(), series.points.rend());
  const std::vector<double> values(series.values.rbegin(), series.values.rend());
  check_model(fit_single(points, values), sample::kScalingPairs[0]);
}

TEST_CASE("scaling fit: leaving out by subtraction equals fitting without the point") {
  const ScalingSeries& series = sample::kExample;
  for (const TermShape& shape : default_shapes()) {
    CAPTURE(text(shape.polynomial));
    CAPTURE(text(shape.logarithm));
    std::vector<double> t;
    for (const double x : series.points) t.push_back(shape.at(x));
    double rss = 0;
    for (size_t i = 0; i < t.size(); ++i) {
      const TermLine line = textbook_line(t, series.values, i);
      const double without_noise = std::abs(line.constant) < 5e-4 * series.values[i == 0 ? 1 : 0] ? 0 : line.constant;
      rss += std::pow(without_noise + line.slope * t[i] - series.values[i], 2);
    }
    const SingleSearch search(series.points, {shape}, {});
    CHECK(search.fit(0, series.values).quality.rss == doctest::Approx(rss).epsilon(1e-6));
  }
}

TEST_CASE("scaling fit: a point that has nearly all the spread can be left out") {
  // The last cube is 1e9 times the others: the sum without it is lost in rounding unless computed anew.
  const std::vector<double> points = {1, 2, 3, 4, 5000};
  const Pmnf made = one_term(2, 3, {{3}, {0}});
  const Fit fit = SingleSearch(points, {{{3}, {0}}}, {}).fit(0, values_of(made, points));
  CHECK(fit.quality.smape < 1e-3);
  CHECK(fit.model.terms[0].coefficient == near(3));
}

TEST_CASE("scaling fit: of equally good shapes the first") {
  const std::vector<double> points = {2, 4, 8, 16, 32};
  const std::vector<double> values = values_of(one_term(1, 1, {{1}, {0}}), points);
  const SingleSearch twice(points, {{{1}, {0}}, {{1}, {0}}}, {});
  CHECK(twice.best(values, 100.0) == std::optional<size_t>(0));
  CHECK(twice.best(values, std::nullopt) == std::optional<size_t>(0));
}

TEST_CASE("scaling fit: equal values are a constant, exactly") {
  for (const bool refine : {false, true}) {
    const std::vector<double> values(5, 7.5);
    const Fit fit = refine ? fit_refining(kDoubling, values) : fit_single(kDoubling, values);
    CHECK(fit.model.terms.empty());
    CHECK(fit.model.constant == 7.5);
    CHECK(fit.quality.smape == 0);
    CHECK(fit.quality.ar2 == 1);
  }
}

TEST_CASE("scaling fit: a term below the least contribution is none") {
  const std::vector<double> values = values_of(one_term(1e6, 1, {{1}, {0}}), kDoubling);  // 64 of a million
  CHECK(fit_single(kDoubling, values).model.terms.empty());
  CHECK(fit_single(kDoubling, values, {.least_contribution = 1e-6}).model.terms.size() == 1);
}

TEST_CASE("scaling fit: no logarithms where they do not exist") {
  const std::vector<double> below_one = {0.25, 0.5, 1, 2, 4};
  CHECK_FALSE(logarithms_exist(below_one, false));
  CHECK(logarithms_exist(kDoubling, true));
  const std::vector<double> from_one = {1, 2, 4, 8, 16};
  CHECK(logarithms_exist(from_one, false));
  CHECK_FALSE(logarithms_exist(from_one, true));  // 1 / log2(1)
  const Fit fit = fit_single(below_one, values_of(one_term(3, 2, {{1, 2}, {0}}), below_one));
  REQUIRE(fit.model.terms.size() == 1);
  CHECK(fit.model.terms[0].factors[0].polynomial == Fraction{1, 2});
  const Fit inverse =
      fit_single(from_one, values_of(one_term(3, 2, {{-1}, {0}}), from_one), {.negative_exponents = true});
  REQUIRE(inverse.model.terms.size() == 1);
  CHECK(inverse.model.terms[0].factors[0].polynomial == Fraction{-1});
}

TEST_CASE("scaling fit: values of 0 are passed over where a relative error needs them") {
  const std::vector<double> points = {1, 2, 3, 4, 5}, values = {0, 3, 8, 15, 24};  // x^2 - 1
  const Fit fit = fit_single(points, values);
  REQUIRE(fit.model.terms.size() == 1);
  CHECK(fit.model.terms[0].factors[0].polynomial == Fraction{2});
  CHECK(fit.model.constant == near(-1));
  CHECK(std::isfinite(fit.quality.re));
  CHECK(std::isfinite(fit.quality.rrss));
}

TEST_CASE("scaling fit: two points give no slope") {
  const std::vector<double> points = {2, 4}, values = {1, 3};
  const Fit fit = fit_single(points, values);
  CHECK(fit.model.terms.empty());
  CHECK(fit.model.constant == 2);
}

TEST_CASE("scaling fit: refining finds exponents that are not in the list") {
  const std::vector<double> points = {2, 4, 8, 16, 32, 64};
  for (const TermShape& shape :
       {TermShape{{7, 2}, {0}}, TermShape{{4}, {0}}, TermShape{{5}, {1}}, TermShape{{9, 2}, {2}}}) {
    CAPTURE(text(shape.polynomial));
    const std::vector<double> values = values_of(one_term(10, 2, shape), points);
    const Fit fit = fit_refining(points, values);
    REQUIRE(fit.model.terms.size() == 1);
    CHECK(fit.model.terms[0].factors[0].polynomial == shape.polynomial);
    CHECK(fit.model.terms[0].factors[0].logarithm == shape.logarithm);
    CHECK(fit.quality.smape < fit_single(points, values).quality.smape);
  }
}

TEST_CASE("scaling fit: mean and median of repetitions") {
  const std::vector<double> odd = {130, 96, 95}, even = {130, 96, 95, 93};
  CHECK(representative(odd, Measure::median) == 96);
  CHECK(representative(even, Measure::median) == 95.5);
  CHECK(representative(even, Measure::mean) == 103.5);
}

// Extra-P's test suite: test_segmented_data_one and its neighbours.
TEST_CASE("scaling fit: a change of law at a point, or between two") {
  const std::vector<double> points = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> shared = {1, 4, 9, 16, 25, 36, 37, 38, 39, 40};
  const SegmentedFit at_six = fit_segmented(points, shared);
  CHECK(at_six.change_points == std::vector<double>{6});
  REQUIRE(at_six.parts.size() == 2);
  CHECK(at_six.parts[0].model.at(6) == near(36));
  CHECK(at_six.parts[1].model.constant == near(30));
  CHECK(at_six.parts[1].model.terms.at(0).coefficient == near(1));
  CHECK(at_six.quality.smape < 1e-9);

  const std::vector<double> apart = {1, 4, 9, 16, 70, 74, 78, 82, 86};
  const SegmentedFit between = fit_segmented(std::vector<double>(points.begin(), points.end() - 1), apart);
  CHECK(between.change_points == std::vector<double>{4, 5});
  REQUIRE(between.parts.size() == 2);
  CHECK(between.parts[1].model.constant == near(50));
  CHECK(between.parts[1].model.terms.at(0).coefficient == near(4));
}

TEST_CASE("scaling fit: the points of a change may come in any order") {
  const std::vector<double> points = {0, 7, 1, 8, 2, 9, 3, 10, 4, 11, 5, 12, 6, 13};
  const std::vector<double> values = {0, 63, 2, 78, 4, 95, 6, 114, 8, 135, 10, 158, 12, 183};
  const SegmentedFit fit = fit_segmented(points, values);
  CHECK(fit.change_points == std::vector<double>{6, 7});
  REQUIRE(fit.parts.size() == 2);
  CHECK(fit.parts[0].model.terms.at(0).coefficient == near(2));
  CHECK(fit.parts[1].model.constant == near(14));
  CHECK(fit.parts[1].model.terms.at(0).factors[0].polynomial == Fraction{2});
}

TEST_CASE("scaling fit: one law is one part") {
  const std::vector<double> points = {500, 1000, 2000, 4000, 8000, 16000},
                            values = {4.02, 4.02, 4.02, 16.0018, 64, 256};
  const SegmentedFit noisy = fit_segmented(points, values);  // test_const_square_segmentation
  REQUIRE(noisy.parts.size() == 1);
  CHECK(noisy.change_points.empty());
  CHECK(noisy.quality.smape == near(17.058476797019413));
  CHECK(noisy.parts[0].model.terms.at(0).coefficient == near(7.087156629926147e-08));

  std::vector<double> x;
  for (int i = 1; i <= 12; ++i) x.push_back(i);
  for (const TermShape& shape : default_shapes())  // rounding alone does not change the law
    CHECK(fit_segmented(x, values_of(one_term(20, 2, shape), x)).parts.size() == 1);
}
