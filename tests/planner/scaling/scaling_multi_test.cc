// Models of several parameters: what Extra-P finds, what made the values is found again; the linear algebra beneath.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "planner/scaling/fit_multi.h"
#include "planner/scaling/fit_single.h"
#include "planner/scaling/linear_least_squares.h"

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone

namespace {

using Points = std::vector<std::vector<double>>;

const std::vector<std::string> kNames = {"p", "q", "r", "s"};

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-6); }

/// Every combination of the coordinates, the last parameter fastest.
Points grid(size_t parameters, const std::vector<double>& coordinates) {
  Points points = {{}};
  for (size_t i = 0; i < parameters; ++i) {
    Points longer;
    for (const std::vector<double>& point : points)
      for (const double c : coordinates) {
        longer.push_back(point);
        longer.back().push_back(c);
      }
    points = longer;
  }
  return points;
}

std::vector<double> values_of(const Pmnf& model, const Points& points) {
  std::vector<double> values;
  for (const auto& point : points) values.push_back(model.at(point));
  return values;
}

/// x, y, z, w of the made models: a term of each parameter.
const std::vector<Factor> kFactors = {{0, {1}, {0}}, {1, {0}, {2}}, {2, {1, 2}, {1}}, {3, {4, 3}, {0}}};

/// "x*y+z" -> a model with coefficients 3, 4, ... and the constant 50.
Pmnf made(const std::string& formula) {
  Pmnf model{50, {{3, {}}}};
  for (const char c : formula) {
    if (c == '+') model.terms.push_back({model.terms.back().coefficient + 1, {}});
    const size_t parameter = std::string("xyzw").find(c);
    if (parameter != std::string::npos) model.terms.back().factors.push_back(kFactors[parameter]);
  }
  return model;
}

// Inputs of Extra-P 4.2.5 and the models it printed (github extra-p/extrap, commit 291ac81, BSD-3-Clause): the band
// and the complete matrix of its test suite, text/mpa/2_param_gpr.txt and extended2.jsonl.
const Points kBand = {{40, 3}, {50, 3}, {60, 1}, {60, 2}, {60, 3}, {60, 4}, {60, 5},
                      {61, 2}, {61, 3}, {61, 4}, {61, 5}, {61, 6}, {70, 3}, {80, 3}};
const std::vector<double> kBandValues = {509.3366049313345,  794.9683384585055,  1137.9576438602649, 1137.9576438602649,
                                         1137.9576438602649, 1444.9783980843208, 1656.169876546388,  1137.9576438602649,
                                         1137.9576438602649, 1444.9783980843208, 1656.169876546388,  1656.169876546388,
                                         1137.9576438602649, 1137.9576438602649};

const Points kMatrix = [] {
  Points points;
  for (const double x : {20, 30, 40, 50, 60})
    for (const double y : {1, 2, 3, 4, 5}) points.push_back({x, y});
  return points;
}();
const std::vector<double> kMatrixValues = {
    0.998632604831951,  81.05519232670466,  128.43850439682288, 161.73485675532905, 186.65897235562707,
    1.0019997351946242, 181.79389630217503, 283.81003476512706, 363.8584368569781,  421.00574000592525,
    0.9888239393988165, 317.9139374061539,  509.3366049313345,  642.5206288028642,  743.8487545802975,
    1.0034462131146777, 502.23488253135395, 794.9683384585055,  1002.7522024701872, 1168.2408906595788,
    1.001490278195436,  725.5559445135556,  1137.9576438602649, 1444.9783980843208, 1656.169876546388};

const Points kNearlyAxes = {{32, 5000}, {32, 6000}, {32, 7000},  {32, 8000},  {32, 9000},
                            {64, 5000}, {64, 6000}, {128, 5000}, {256, 5000}, {512, 5000}};
const std::vector<double> kNearlyAxesValues = {
    (406.498 + 405.58) / 2,  (509.797 + 509.876) / 2, (616.758 + 616.42) / 2, (721.753 + 724.038) / 2,
    (834.664 + 835.892) / 2, (574.5 + 574.589) / 2,   (714.7 + 719.669) / 2,  (870.245 + 871.598) / 2,
    (1026.49 + 1023.95) / 2, (1187.13 + 1177.51) / 2};

struct MultiPair {
  std::string name;
  const Points& points;
  const std::vector<double>& values;
  MultiOptions options;
  std::string model;
  double constant;
  std::vector<double> coefficients;
  double smape, rss, rrss, ar2, re;
};

// clang-format off
const std::vector<MultiPair> kPairs = {
    {"band", kBand, kBandValues, {}, "-3287.85 + 725.629 * log2(p) + 8.77363 * q^(2) * log2(q)",
     -3287.8489115673706, {725.6291144628331, 8.77363268351462},
     11.769675185907126, 316784.6568214665, 0.32775729859876257, 0.7334613329545208, 0.12327227331143632},
    {"matrix", kMatrix, kMatrixValues, {}, "1.37421 + 6.69808 * log2(q) + 0.0438417 * p^(3/2) * log2(p)^(2) * log2(q)",
     1.3742083125522062, {6.698080399962655, 0.04384165529030426},
     6.644640850351218, 312.47721968273487, 0.7069301186066745, 0.9999354313087173, 0.07834117602686581},
    {"matrix, the smallest row", kMatrix, kMatrixValues, {.smallest_row = true}, "1.37421 + 359.799 * log2(q)",
     1.3742083125362106, {359.79932647165674},
     55.00374034460941, 3354379.3683135808, 53.96245913628667, 0.36714056508908544, 0.932958674511131},
    {"matrix, no mixtures", kMatrix, kMatrixValues, {.mixtures = false},
     "7.06826 + 0.0441615 * p^(3/2) * log2(p)^(2) * log2(q)",
     7.068256791911292, {0.04416150513592775},
     30.993589514593893, 776.6525210938312, 184.62600911267063, 0.9998468112076506, 1.2241566296516158},
    {"2_param_gpr", kNearlyAxes, kNearlyAxesValues, {}, "-1052.84 + 200.916 * log2(p) + 0.00745399 * q * log2(q)",
     -1052.8365621110524, {200.9159368828653, 0.00745399073241515},
     1.979095704761502, 6001.293526903291, 0.00960089308065844, 0.9848934920456367, 0.019773075412027694},
};
// clang-format on

}  // namespace

TEST_CASE("scaling multi: the models and qualities of Extra-P") {
  for (const MultiPair& pair : kPairs) {
    CAPTURE(pair.name);
    const Fit fit = fit_multi(pair.points, pair.values, pair.options).fit;
    CHECK(text(fit.model, kNames) == pair.model);
    CHECK(fit.model.constant == near(pair.constant));
    REQUIRE(fit.model.terms.size() == pair.coefficients.size());
    for (size_t i = 0; i < pair.coefficients.size(); ++i)
      CHECK(fit.model.terms[i].coefficient == near(pair.coefficients[i]));
    CHECK(fit.quality.smape == near(pair.smape));
    CHECK(fit.quality.rss == near(pair.rss));
    CHECK(fit.quality.rrss == near(pair.rrss));
    CHECK(fit.quality.ar2 == near(pair.ar2));
    CHECK(fit.quality.re == near(pair.re));
  }
}

TEST_CASE("scaling multi: every sum, product and mixture of two is found again") {
  const Points points = grid(2, {2, 4, 8, 16, 32});
  for (const std::string formula : {"x*y", "x+y", "x+x*y", "y+x*y"}) {
    CAPTURE(formula);
    const Pmnf model = made(formula);
    const MultiFit found = fit_multi(points, values_of(model, points));
    CHECK(text(found.fit.model, kNames, 5) == text(model, kNames, 5));
    CHECK(found.fit.quality.smape < 1e-6);
  }
}

TEST_CASE("scaling multi: every sum, product and mixture of three is found again") {
  const Points points = grid(3, {2, 4, 8, 16, 32});
  for (const std::string formula :
       {"x*y*z",       "x+y+z",       "x*y*z+x",     "x*y*z+y",   "x*y*z+z",   "x*y*z+x*y", "x*y*z+y*z", "x*y*z+x*z",
        "x*y*z+x*y+z", "x*y*z+y*z+x", "x*y*z+x*z+y", "x*y*z+x+y", "x*y*z+x+z", "x*y*z+y+z", "x*y+z",     "x*y+z+y",
        "x*y+z+x",     "x*z+y",       "x*z+y+x",     "x*z+y+z",   "y*z+x",     "y*z+x+y",   "y*z+x+z"}) {
    CAPTURE(formula);
    const Pmnf model = made(formula);
    CHECK(text(fit_multi(points, values_of(model, points)).fit.model, kNames, 5) == text(model, kNames, 5));
  }
}

TEST_CASE("scaling multi: sum and product of four parameters") {
  const Points points = grid(4, {2, 4, 8, 16, 32});
  for (const std::string formula : {"x*y*z*w", "x+y+z+w"}) {
    CAPTURE(formula);
    const Pmnf model = made(formula);
    const Fit fit = fit_multi(points, values_of(model, points)).fit;
    CHECK(text(fit.model, kNames, 5) == text(model, kNames, 5));
    CHECK(fit.model.at(std::vector<double>(4, 64)) == near(model.at(std::vector<double>(4, 64))));
  }
}

TEST_CASE("scaling multi: a parameter that does not matter is not in the model") {
  const Points points = grid(2, {2, 4, 8, 16, 32});
  const Fit one = fit_multi(points, values_of(made("y"), points)).fit;
  CHECK(text(one.model, kNames) == "50 + 3 * log2(q)^(2)");
  const Fit none = fit_multi(points, std::vector<double>(points.size(), 4)).fit;
  CHECK(none.model.terms.empty());
  CHECK(none.model.constant == 4);
}

TEST_CASE("scaling multi: points on the axes do not tell mixtures apart") {
  const Points cross = {{2, 2}, {4, 2}, {8, 2}, {16, 2}, {32, 2}, {2, 4}, {2, 8}, {2, 16}, {2, 32}};
  std::vector<double> values = values_of(made("x+y"), cross);
  for (size_t i = 0; i < values.size(); ++i) values[i] *= i % 2 == 0 ? 1.02 : 0.98;
  CHECK(fit_multi(cross, values).ambiguous);
  Points with_corner = cross;
  with_corner.push_back({32, 32});
  values.push_back(made("x+y").at(with_corner.back()));
  CHECK_FALSE(fit_multi(with_corner, values).ambiguous);
}

TEST_CASE("scaling multi: rows are the longest, averaged over what they share") {
  // q = 2 and q = 4 have three points each, q = 8 two.
  const Points points = {{1, 2}, {2, 2}, {4, 2}, {1, 4}, {2, 4}, {4, 4}, {1, 8}, {2, 8}};
  const std::vector<double> values = {10, 20, 30, 12, 24, 36, 100, 200};
  const std::vector<ParameterRow> rows = rows_of(points, values, {});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].points == std::vector<double>{1, 2, 4});
  CHECK(rows[0].values == std::vector<double>{11, 22, 33});
  CHECK(rows[1].points == std::vector<double>{2, 4, 8});  // at p = 1 and p = 2
  CHECK(rows[1].values == std::vector<double>{15, 18, 150});
}

TEST_CASE("scaling multi: the smallest row has the least coordinates in the others") {
  const Points points = {{1, 8}, {2, 8}, {1, 2}, {2, 2}, {1, 4}, {2, 4}};
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<ParameterRow> rows = rows_of(points, values, {.smallest_row = true});
  CHECK(rows[0].points == std::vector<double>{1, 2});
  CHECK(rows[0].values == std::vector<double>{3, 4});
  CHECK(rows[1].points == std::vector<double>{8, 2, 4});
  CHECK(rows[1].values == std::vector<double>{1, 3, 5});
}

TEST_CASE("scaling multi: values that fall in one parameter take its negative exponent") {
  const Points points = grid(2, {2, 4, 8, 16, 32});
  const Pmnf model{5, {{3000, {{0, {-1}, {0}}, {1, {1}, {0}}}}}};  // work q over p processors
  const MultiOptions options{.single = {.negative_exponents = true}};
  CHECK(text(fit_multi(points, values_of(model, points), options).fit.model, kNames, 5) == "5 + 3000 * p^(-1) * q");
}

TEST_CASE("scaling multi: fitted coefficients leave residuals that no column sees") {
  const Pmnf shape{0, {{1, {kFactors[0]}}, {1, {kFactors[0], kFactors[1]}}}};
  const TermColumns columns = columns_of(shape, kBand);
  const std::vector<double> c = LinearLeastSquares(columns).solve(kBandValues);
  REQUIRE(c.size() == 3);
  for (size_t j = 0; j < 3; ++j) {
    double product = 0, size = 0;
    for (size_t i = 0; i < kBand.size(); ++i) {
      double residual = kBandValues[i];
      for (size_t k = 0; k < 3; ++k) residual -= c[k] * columns.column(k)[i];
      product += residual * columns.column(j)[i];
      size += std::abs(kBandValues[i] * columns.column(j)[i]);
    }
    CHECK(std::abs(product) < 1e-12 * size);
  }
}

TEST_CASE("scaling multi: least squares of columns of very different size") {
  TermColumns columns{5, 2, std::vector<double>(5, 1.0)};
  const std::vector<double> t = {1e15, 8e15, 27e15, 64e15, 125e15};
  columns.cells.insert(columns.cells.end(), t.begin(), t.end());
  std::vector<double> values;
  for (const double x : t) values.push_back(3 + 2e-15 * x);
  const LinearLeastSquares system(columns);
  REQUIRE(system.full_rank());
  CHECK(system.solve(values)[0] == near(3));
  CHECK(system.solve(values)[1] == near(2e-15));
}

TEST_CASE("scaling multi: columns that follow from each other are seen") {
  CHECK_FALSE(LinearLeastSquares({4, 2, {1, 1, 1, 1, 5, 5, 5, 5}}).full_rank());
  CHECK_FALSE(LinearLeastSquares({1, 2, {1, 3}}).full_rank());
  CHECK(LinearLeastSquares({2, 2, {1, 1, 3, 4}}).full_rank());
  // All points at one q: its term is a constant.
  const Points line = {{2, 4}, {4, 4}, {8, 4}, {16, 4}, {32, 4}};
  CHECK_FALSE(LinearLeastSquares(columns_of(made("x+y"), line)).full_rank());
  CHECK(text(fit_multi(line, values_of(made("x+y"), line)).fit.model, kNames) == "66 + 3 * p");
}
