// What a fitted model says: its text and growth, how far its values can be trusted, where it stops making sense.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/scaling/extrapolation.h"
#include "planner/scaling/interval.h"
#include "planner/scaling/models.h"
#include "tests/planner/scaling/scaling_pairs.h"

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone
using doctest::Approx;

namespace {

using Points = std::vector<std::vector<double>>;

const std::vector<std::string> kNames = {"p", "n"};

Term term(double coefficient, Fraction polynomial, Fraction logarithm, size_t parameter = 0) {
  return {coefficient, {{parameter, polynomial, logarithm}}};
}

Points as_points(const std::vector<double>& coordinates) {
  Points points;
  for (const double x : coordinates) points.push_back({x});
  return points;
}

std::string class_of(const Pmnf& model, std::optional<size_t> parameter = std::nullopt) {
  return big_o(model, growth(model, parameter), kNames);
}

/// Of a single model.
std::vector<Misbehaviour> misbehaviour(const Pmnf& model, const ParameterRange& range, bool over_processors = false) {
  return Behaviour().oddities(model, range, over_processors);
}

/// Of a model of one parameter from `from` to `to`.
std::vector<Misbehaviour> odd(const Pmnf& model, double from, double to, bool over_processors = false) {
  return misbehaviour(model, {{from}, 0, from, to}, over_processors);
}

}  // namespace

TEST_CASE("scaling model: fractions") {
  CHECK(Fraction{1, 3} < Fraction{1, 2});
  CHECK(Fraction{-1, 2} < Fraction{-1, 3});
  CHECK(Fraction{2, 4} == Fraction{1, 2});
  CHECK(text(Fraction{1, 3} + Fraction{1, 6}) == "1/2");
  CHECK(text(-Fraction{5, 4}) == "-5/4");
  CHECK(text(lowest_terms({6, 3})) == "2");
  CHECK(Fraction{11, 4}.value() == 2.75);
}

TEST_CASE("scaling model: text") {
  CHECK(text(Pmnf{4.5, {}}, kNames) == "4.5");
  CHECK(text(Pmnf{-3.1, {term(2, {5, 4}, {1})}}, kNames) == "-3.1 + 2 * p^(5/4) * log2(p)");
  CHECK(text(Pmnf{164.56944842860844, {term(-23.569666282976012, {0}, {1})}}, kNames, 4) == "164.6 - 23.57 * log2(p)");
  const Pmnf two{1, {{0.5, {{0, {-4, 5}, {0}}, {1, {1}, {2}}}}, term(3, {0}, {-1}, 1)}};
  CHECK(text(two, kNames) == "1 + 0.5 * p^(-4/5) * n * log2(n)^(2) + 3 * log2(n)^(-1)");
}

TEST_CASE("scaling model: values") {
  CHECK(Pmnf{1, {term(2, {3, 2}, {2})}}.at(4) == Approx(1 + 2 * 8 * 4));
  CHECK(Pmnf{1, {term(6, {-1}, {-1})}}.at(8) == Approx(1 + 6 / 8.0 / 3));
  const Pmnf two{0, {{10, {{0, {1}, {0}}, {1, {2}, {0}}}}}};
  CHECK(two.at(std::vector<double>{3, 5}) == Approx(10 * 3 * 25));
}

TEST_CASE("scaling model: growth is that of the leading term") {
  CHECK(class_of({3, {}}) == "O(1)");
  CHECK(class_of({3, {term(1e-9, {5, 4}, {1})}}) == "O(p^(5/4) * log2(p))");
  CHECK(class_of({3, {term(100, {0}, {2}), term(1, {1, 4}, {0})}}) == "O(p^(1/4))");
  CHECK(class_of({3, {term(5, {-1}, {0})}}) == "O(1)");       // falls to 3
  CHECK(class_of({0, {term(5, {-1}, {0})}}) == "O(p^(-1))");  // falls to nothing
  const Pmnf two{1, {{2, {{0, {0}, {1}}, {1, {1}, {0}}}}, term(3, {2}, {0}, 0)}};
  CHECK(class_of(two) == "O(p^(2))");
  CHECK(class_of(two, 1) == "O(log2(p) * n)");
  CHECK(growth(two, 0).term == std::optional<size_t>(1));
  CHECK(growth(two, 0).coefficient == 3);
}

TEST_CASE("scaling model: growth orders models") {
  const Pmnf falling{0, {term(9, {-1, 2}, {0})}}, constant{9, {}}, logarithm{1, {term(1, {0}, {2})}},
      root{1, {term(1, {1, 4}, {0})}}, root_logarithm{1, {term(1, {1, 4}, {1})}}, linear{1, {term(-1, {1}, {0})}};
  const std::vector<Pmnf> ascending = {falling, constant, logarithm, root, root_logarithm, linear};
  for (size_t i = 0; i < ascending.size(); ++i)
    for (size_t j = 0; j < ascending.size(); ++j) CHECK((growth(ascending[i]) < growth(ascending[j])) == (i < j));
  CHECK(growth(linear).coefficient == -1);
  CHECK(growth({1, {term(2, {1}, {0}), term(-5, {1}, {0}, 1)}}).term == std::optional<size_t>(1));  // the larger
}

TEST_CASE("scaling model: Student's t") {
  // Abramowitz & Stegun, table 26.10 (95 %) and the 99 % column.
  struct Row {
    double freedom, t95, t99;
  };
  for (const Row& row : {Row{1, 12.706, 63.657}, Row{2, 4.303, 9.925}, Row{3, 3.182, 5.841}, Row{4, 2.776, 4.604},
                         Row{10, 2.228, 3.169}, Row{30, 2.042, 2.750}, Row{120, 1.980, 2.617}}) {
    CAPTURE(row.freedom);
    CHECK(student_two_sided(0.95, row.freedom) == Approx(row.t95).epsilon(3e-4));
    CHECK(student_two_sided(0.99, row.freedom) == Approx(row.t99).epsilon(3e-4));
  }
  CHECK(student_cdf(0, 7) == Approx(0.5));
  CHECK(student_cdf(-1.5, 7) == Approx(1 - student_cdf(1.5, 7)));
  CHECK(student_cdf(1, 1) == Approx(0.75));  // Cauchy: 1/2 + atan(t) / pi
  CHECK(student_two_sided(0.95, 1e6) == Approx(1.959966).epsilon(1e-5));
}

TEST_CASE("scaling model: the band about a line is the textbook's") {
  // y = a + b t: half width t s sqrt(1/n + (t0 - mean)^2 / S), for one more measurement with 1 + under the root.
  const sample::ScalingSeries& series = sample::kExample;
  const Fit fit = fit_single(series.points, series.values);
  const TermShape shape{{5, 4}, {1}};
  double mean = 0, spread = 0, rss = 0;
  for (const double x : series.points) mean += shape.at(x) / 5;
  for (size_t i = 0; i < 5; ++i) {
    spread += std::pow(shape.at(series.points[i]) - mean, 2);
    rss += std::pow(fit.model.at(series.points[i]) - series.values[i], 2);
  }
  const double s = std::sqrt(rss / 3), t = student_two_sided(0.95, 3);
  const Band band(fit.model, as_points(series.points), series.values);
  REQUIRE(band.residual());
  CHECK(*band.residual() == Approx(s));
  for (const double x : {1.0, 4.0, 20.0, 64.0, 128.0}) {
    CAPTURE(x);
    const double root = 0.2 + std::pow(shape.at(x) - mean, 2) / spread, value = fit.model.at(x);
    const Interval mean_there = band.confidence({&x, 1}).value(), next = band.prediction({&x, 1}).value();
    CHECK(mean_there.high - value == Approx(t * s * std::sqrt(root)));
    CHECK(value - mean_there.low == Approx(t * s * std::sqrt(root)));
    CHECK(next.high - value == Approx(t * s * std::sqrt(1 + root)));
    CHECK(value - next.low == Approx(t * s * std::sqrt(1 + root)));
  }
}

TEST_CASE("scaling model: the band about a constant") {
  const std::vector<double> values = {9, 10, 11, 10};
  const Band band(constant_fit(values).model, as_points({1, 2, 3, 4}), values);
  const double s = std::sqrt(2 / 3.0), x = 100;
  CHECK(band.confidence({&x, 1})->high == Approx(10 + student_two_sided(0.95, 3) * s / 2));
  CHECK(band.prediction({&x, 1})->low == Approx(10 - student_two_sided(0.95, 3) * s * std::sqrt(1.25)));
}

TEST_CASE("scaling model: a wider level is a wider band, exact values have none") {
  const sample::ScalingSeries& series = sample::kExample;
  const Pmnf model = fit_single(series.points, series.values).model;
  const double x = 128;
  const auto width = [&](double level) {
    const Interval i = Band(model, as_points(series.points), series.values, level).prediction({&x, 1}).value();
    return i.high - i.low;
  };
  CHECK(width(0.5) < width(0.95));
  CHECK(width(0.95) < width(0.99));
  std::vector<double> exact;
  for (const double point : series.points) exact.push_back(model.at(point));
  const Band band(model, as_points(series.points), exact);
  CHECK(band.confidence({&x, 1})->high == Approx(model.at(x)));
}

TEST_CASE("scaling model: as many coefficients as points have no band") {
  const Pmnf line{1, {term(2, {1}, {0})}};
  const double x = 3;
  CHECK_FALSE(Band(line, as_points({1, 2}), std::vector<double>{3, 5}).confidence({&x, 1}));
  CHECK_FALSE(Band(line, as_points({4, 4, 4}), std::vector<double>{3, 5, 4}).prediction({&x, 1}));
  CHECK_FALSE(Band(line, as_points({4, 4, 4}), std::vector<double>{3, 5, 4}).residual());
}

TEST_CASE("scaling model: the band of two parameters holds at the points of a grid") {
  Pmnf model{5, {term(2, {1}, {0}), term(3, {0}, {1}, 1)}};
  Points points;
  std::vector<double> values;
  for (const double p : {2, 4, 8})
    for (const double n : {2, 4, 8}) {
      points.push_back({p, n});
      values.push_back(model.at(points.back()));
    }
  for (size_t i = 0; i < values.size(); ++i) values[i] += i % 2 == 0 ? 0.5 : -0.5;
  const LinearLeastSquares system(columns_of(model, points));
  const std::vector<double> c = system.solve(values);
  model.constant = c[0], model.terms[0].coefficient = c[1], model.terms[1].coefficient = c[2];
  const Band band(model, points, values);
  double leverages = 0;  // the trace of the projection is the number of coefficients
  for (const auto& point : points) {
    const Interval at = band.confidence(point).value();
    leverages += std::pow((at.high - at.low) / 2 / *band.residual() / student_two_sided(0.95, 6), 2);
  }
  CHECK(leverages == Approx(3));
}

TEST_CASE("scaling model: the default model of strong scaling turns negative, the other does not") {
  const sample::ScalingSeries& series = sample::kCifar;
  const std::vector<Misbehaviour> found = odd(fit_single(series.points, series.values).model, 20, 512);
  REQUIRE(found.size() == 1);
  CHECK(found[0].oddity == Oddity::negative);
  CHECK(found[0].from == Approx(std::exp2(164.56944842860844 / 23.569666282976012)));  // 127 ranks and more
  CHECK(text(found[0], "p") == "the model turns negative from p = 126.4");
  CHECK(odd(fit_single(series.points, series.values, {.negative_exponents = true}).model, 20, 1e6).empty());
}

TEST_CASE("scaling model: undefined and superlinear places") {
  const std::vector<Misbehaviour> pole = odd({1, {term(1, {0}, {-1})}}, 1, 8);
  REQUIRE(pole.size() == 1);
  CHECK(pole[0].oddity == Oddity::undefined);
  CHECK(pole[0].from == 1);
  CHECK(text(pole[0], "p") == "the model is undefined from p = 1");

  const Pmnf fast{0, {term(8, {-3, 2}, {0})}}, ideal{0, {term(8, {-1}, {0})}};
  CHECK(odd(fast, 2, 64).empty());  // checked if the parameter is a number of processors
  const std::vector<Misbehaviour> found = odd(fast, 2, 64, true);
  REQUIRE(found.size() == 1);
  CHECK(found[0].oddity == Oddity::superlinear);
  CHECK(text(found[0], "p").starts_with("the model falls faster than 1/p from p = 2.0"));
  CHECK(odd(ideal, 2, 64, true).empty());
  CHECK(odd(Pmnf{1, {term(8, {-3, 2}, {0})}}, 64, 512, true).empty());  // the constant outweighs it
}

TEST_CASE("scaling model: misbehaviour along one of two parameters") {
  const Pmnf model{100, {{-1, {{0, {1}, {0}}, {1, {1}, {0}}}}}};  // 100 - p n
  const auto along = [&](size_t parameter, double to) { return misbehaviour(model, {{5, 4}, parameter, 1, to}); };
  REQUIRE(along(0, 100).size() == 1);
  CHECK(along(0, 100)[0].from == Approx(25));
  CHECK(along(1, 100)[0].from == Approx(20));
  CHECK(along(1, 19).empty());
  CHECK(along(1, 20).size() == 1);  // the end is looked at
}

TEST_CASE("scaling model: strong scaling is seen") {
  const sample::ScalingSeries& series = sample::kCifar;
  CHECK(falls_with(as_points(series.points), series.values, 0));
  CHECK_FALSE(falls_with(as_points(sample::kExample.points), sample::kExample.values, 0));
  CHECK_FALSE(falls_with(as_points(sample::kFlat.points), sample::kFlat.values, 0));
  CHECK_FALSE(falls_with(as_points(sample::kNoise.points), sample::kNoise.values, 0));  // falls, but by 7 % in all
  CHECK_FALSE(falls_with(as_points({4}), std::vector<double>{1}, 0));
}

TEST_CASE("scaling model: strong scaling in one of two parameters") {
  Points points;
  std::vector<double> values;
  for (const double p : {2, 4, 8, 16})
    for (const double n : {10, 20, 40}) {
      points.push_back({p, n});
      values.push_back(n / p);
    }
  CHECK(falls_with(points, values, 0));
  CHECK_FALSE(falls_with(points, values, 1));
}

TEST_CASE("models that are looked at one after another are as odd as each by itself") {
  Behaviour behaviour;
  const std::vector<Pmnf> models = {{1, {{1, {{0, {1}, {}}}}}},
                                    {-3, {{0.5, {{0, {1, 2}, {}}}}}},
                                    {50, {{-1, {{0, {1}, {}}}}}},
                                    {1, {{1, {{0, {1}, {-1}}}}}},
                                    {0, {{9, {{0, {-2}, {}}}}}}};
  for (const double to : {64.0, 1000.0, 1000.0})
    for (const bool over_processors : {false, true})
      for (const Pmnf& model : models) {
        const ParameterRange range{{1}, 0, 1, to};
        const auto shared = behaviour.oddities(model, range, over_processors);
        const auto alone = misbehaviour(model, range, over_processors);
        REQUIRE(shared.size() == alone.size());
        for (size_t i = 0; i < alone.size(); ++i) {
          CHECK(shared[i].oddity == alone[i].oddity);
          CHECK(shared[i].from == alone[i].from);
        }
      }
}
