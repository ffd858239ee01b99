// Least squares from slopes that the caller gives, and at bounds.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <utility>

#include "operator_models/calibrate/least_squares.h"

namespace {

using doctest::Approx;
using operator_models::LeastSquares;
using operator_models::Parameter;
using operator_models::Slope;

/// y = a exp(-b t) + c at eleven times, with a known wobble.
std::vector<double> decay(const std::vector<double>& x) {
  std::vector<double> r;
  for (int i = 0; i <= 10; ++i) {
    const double t = 0.3 * i, y = 2 * std::exp(-1.5 * t) + 0.5 + 0.01 * std::sin(7.0 * i);
    r.push_back(x[0] * std::exp(-x[1] * t) + x[2] - y);
  }
  return r;
}
std::vector<Slope> decay_slopes(const std::vector<double>& x) {
  std::vector<Slope> out;
  for (size_t i = 0; i <= 10; ++i) {
    const double t = 0.3 * static_cast<double>(i), e = std::exp(-x[1] * t);
    out.push_back({i, 0, e});
    if (i > 0) out.push_back({i, 1, -x[0] * t * e});
    out.push_back({i, 2, 1});
  }
  return out;
}

const std::vector<Parameter> kStart{{.start = 1, .least = 0}, {.start = 1, .least = 0}, {.start = 0.1, .least = 0}};

/// r = A x - b with a fixed random A of 8 x 2 and b = A (1, truth).
struct Line {
  double truth;
  std::vector<double> operator()(const std::vector<double>& x) const {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(0.5, 2);
    std::vector<double> r;
    for (int i = 0; i < 8; ++i) {
      const double a = number(random), b = number(random);
      r.push_back(a * (x[0] - 1) + b * (x[1] - truth));
    }
    return r;
  }
};

}  // namespace

TEST_CASE("given slopes lead where differences lead, with the same errors") {
  int calls = 0;
  const auto counted = [&](const auto& values) { return ++calls, decay(values); };
  const LeastSquares dense = operator_models::least_squares(counted, kStart);
  const int of_differences = std::exchange(calls, 0);
  const LeastSquares given = operator_models::least_squares(counted, decay_slopes, kStart, 50, 1e-12);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(given.values[i] == Approx(dense.values[i]).epsilon(1e-4));
    CHECK(given.errors[i] == Approx(dense.errors[i]).epsilon(1e-2));
  }
  CHECK(given.values[1] == Approx(1.5).epsilon(0.05));
  CHECK(calls < of_differences);
}

TEST_CASE("slopes that are kept from the start still lead near the minimum") {
  const std::vector<Slope> kept = decay_slopes({2, 1.5, 0.5});
  const std::vector<Parameter> near{
      {.start = 1.8, .least = 0}, {.start = 1.4, .least = 0}, {.start = 0.45, .least = 0}};
  const LeastSquares found = operator_models::least_squares(
      decay, [&](const std::vector<double>&) { return kept; }, near, 50, 1e-12);
  const LeastSquares best = operator_models::least_squares(decay, kStart);
  CHECK(found.values[1] == Approx(best.values[1]).epsilon(0.02));
}

TEST_CASE("a parameter that its bound holds leaves the others where they are best beside it") {
  const std::vector<Parameter> bounded{{.start = 3, .least = -9, .most = 9}, {.start = 0, .least = 0, .most = 9}};
  const Line line{-2};  // the second would go to -2
  const LeastSquares found = operator_models::least_squares(line, bounded);
  CHECK(found.values[1] == 0);
  CHECK(found.errors[1] == 0);
  // By hand: the best first parameter with the second at 0.
  double best = 0, least = 1e9;
  for (double x = -9; x <= 9; x += 1e-3) {
    double sum = 0;
    for (double r : line({x, 0})) sum += r * r;
    if (sum < least) least = sum, best = x;
  }
  CHECK(found.values[0] == Approx(best).epsilon(2e-3));
}

TEST_CASE("unit errors are those of residuals whose own error is 1, whatever the residuals are") {
  // Four measurements of one number: 1 / sqrt(4).
  for (double scatter : {0.0, 0.1, 30.0}) {
    auto r = [&](const std::vector<double>& x) {
      return std::vector<double>{x[0] - scatter, x[0] + scatter, x[0] - scatter, x[0] + scatter};
    };
    const LeastSquares found = operator_models::least_squares(r, {{.start = 1, .least = -99, .most = 99}});
    CHECK(found.unit_errors[0] == Approx(0.5).epsilon(1e-3));
    CHECK(found.errors[0] == Approx(0.5 * scatter * std::sqrt(4.0 / 3)).epsilon(1e-2));
  }
}
