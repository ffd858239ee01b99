#include "operator_models/calibrate/least_squares.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace operator_models;

TEST_CASE("an exponential is found again from its values") {
  const Residuals residuals = [](const std::vector<double>& x) {
    std::vector<double> r;
    for (int i = 0; i < 20; ++i) r.push_back(x[0] * std::exp(-x[1] * i) - 3 * std::exp(-0.2 * i));
    return r;
  };
  const LeastSquares found = least_squares(residuals, {{.start = 1}, {.start = 1}});
  CHECK(found.converged);
  CHECK(found.values[0] == doctest::Approx(3).epsilon(1e-5));
  CHECK(found.values[1] == doctest::Approx(0.2).epsilon(1e-5));
  CHECK(found.residual < 1e-6);
}

TEST_CASE("the fit stays inside its bounds, and a bound has no standard error") {
  const Residuals residuals = [](const std::vector<double>& x) { return std::vector<double>{x[0] - 5, x[0] - 6}; };
  const LeastSquares found = least_squares(residuals, {{.start = 1, .least = 0, .most = 2}});
  CHECK(found.values[0] == 2);
  CHECK(found.errors[0] == 0);
}

TEST_CASE("a pull holds what the data does not determine") {
  // The second number changes nothing.
  const Residuals residuals = [](const std::vector<double>& x) { return std::vector<double>{std::log(x[0] / 4)}; };
  const LeastSquares found = least_squares(residuals, {{.start = 1}, {.start = 7, .pull = 0.1}});
  CHECK(found.values[0] == doctest::Approx(4).epsilon(1e-4));
  CHECK(found.values[1] == doctest::Approx(7).epsilon(1e-4));
}

TEST_CASE("a pull as strong as the data meets it half way") {
  const Residuals residuals = [](const std::vector<double>& x) {
    return std::vector<double>{std::log(x[0] / 4) / 0.1};
  };
  const LeastSquares found = least_squares(residuals, {{.start = 1, .pull = 0.1}});
  CHECK(std::log(found.values[0]) == doctest::Approx(std::log(4.0) / 2).epsilon(1e-3));
}

TEST_CASE("the best of several starts wins") {
  // A shallow minimum at 1, a deep one at 5.
  const Residuals residuals = [](const std::vector<double>& x) {
    return std::vector<double>{std::min(std::abs(x[0] - 1) + 0.5, 2 * std::abs(x[0] - 5))};
  };
  const LeastSquares near = least_squares(residuals, {{.start = 1.5}}),
                     both = least_squares(residuals, {{.start = 1.5}}, {{5.5}});
  CHECK(near.residual > 0.4);
  CHECK(both.values[0] == doctest::Approx(5).epsilon(1e-3));
}

TEST_CASE("linear fits solve by least squares") {
  const std::vector<double> plain = linear_least_squares({{1, 0}, {1, 1}, {1, 2}}, {2, 1, 0});
  CHECK(plain[0] == doctest::Approx(2));
  CHECK(plain[1] == doctest::Approx(-1));
}
