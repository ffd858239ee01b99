// A table of factors gives the same values as each model alone, to the last bit.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/scaling/extrapolation.h"

namespace {

using planner::scaling::Factor;
using planner::scaling::FactorTable;
using planner::scaling::Pmnf;

const std::vector<double> kPlaces = {0.5, 1, 2, 3, 7.5, 64, 1e5, 1e300};

bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check(FactorTable& table, const Pmnf& model, std::vector<double> at, size_t parameter) {
  const auto values = table.values(model, at, parameter);
  REQUIRE(values.size() == kPlaces.size());
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    at[parameter] = kPlaces[i];
    CHECK(same_bits(values[i], model.at(at)));
  }
}

}  // namespace

TEST_CASE("values of a table are those of the model") {
  FactorTable table(kPlaces);
  check(table, {3.5, {}}, {1}, 0);
  for (const int polynomial : {-2, -1, 0, 1, 2, 3, 5})
    for (const int denominator : {1, 3, 4})
      for (const int logarithm : {-1, 0, 1, 2})
        check(table, {-3.1, {{0.7, {{0, {polynomial, denominator}, {logarithm}}}}}}, {1}, 0);
}

TEST_CASE("values of a table are those of models of several terms and parameters") {
  FactorTable table(kPlaces);
  const Factor p{0, {1, 3}, {1}}, n{1, {2}, {0}}, m{2, {0}, {2}};
  const Pmnf model{1.1, {{0.3, {p}}, {-2e-3, {p, n}}, {1e-5, {m, n, p}}, {0.1, {n}}}};
  for (size_t parameter = 0; parameter < 3; ++parameter) check(table, model, {5, 7, 11}, parameter);
}

TEST_CASE("a table has one column for a factor, whichever parameter it is of") {
  FactorTable table(kPlaces);
  check(table, {0, {{1, {{1, {1, 2}, {0}}}}}}, {3, 4}, 1);
  check(table, {0, {{1, {{0, {1, 2}, {0}}}}}}, {3, 4}, 0);
  check(table, {0, {{1, {{0, {2, 4}, {0}}}}}}, {3, 4}, 0);
}

TEST_CASE("a table of no places has no values") { CHECK(FactorTable({}).values({1, {}}, {}, 0).empty()); }
