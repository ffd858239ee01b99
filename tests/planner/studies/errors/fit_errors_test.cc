// The error model against normal equations solved as one dense system, and against runs that were drawn from it.
#include "planner/studies/errors/fit_errors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "planner/studies/errors/error_scores.h"

namespace {

using planner::ErrorModel;
using planner::ErrorRow;
using planner::LeftOut;

struct Truth {
  double software, family, group, run;
};

/// Runs of `families` families of one software each, a third of which shares its software with another.
std::vector<ErrorRow> drawn(const Truth& truth, int families, int groups, int runs, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<ErrorRow> rows;
  double of_software = 0;
  for (int f = 0; f < families; ++f) {
    if (f % 3 != 1) of_software = truth.software * normal(random);
    const double of_family = of_software + truth.family * normal(random);
    for (int g = 0; g < groups; ++g) {
      const double of_group = of_family + truth.group * normal(random);
      for (int i = 0; i < runs; ++i) {
        ErrorRow row;
        row.id = std::to_string(rows.size());
        row.group = std::to_string(g);
        row.family = {std::to_string(f % 3 == 1 ? f - 1 : f), f % 3 == 1 ? "hopper" : "ampere"};
        row.shipped = row.left_out = of_group + truth.run * normal(random);
        row.size = {8, 1, 1, 1};
        rows.push_back(row);
      }
    }
  }
  return rows;
}

double covariance(const ErrorModel& m, const ErrorRow& a, const ErrorRow& b) {
  double sum = 0;
  if (a.family.software == b.family.software) sum += m.software * m.software;
  if (a.family == b.family) sum += m.family * m.family;
  if (a.family == b.family && a.group == b.group) sum += m.group * m.group;
  if (&a == &b) sum += m.run * m.run;
  return sum;
}

/// Gauss's elimination, of a positive definite matrix.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  for (size_t k = 0; k < b.size(); ++k)
    for (size_t i = k + 1; i < b.size(); ++i) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < b.size(); ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (size_t k = b.size(); k-- > 0;) {
    for (size_t j = k + 1; j < b.size(); ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The same question to the joint normal distribution of all runs: a new run of a new group of the row's family.
std::pair<double, double> by_brute_force(const ErrorModel& m, const std::vector<ErrorRow>& rows, const ErrorRow& asked,
                                         bool knows_family) {
  std::vector<const ErrorRow*> known;
  for (const ErrorRow& row : rows)
    if (knows_family || row.family != asked.family) known.push_back(&row);
  std::vector<std::vector<double>> all;
  std::vector<double> to, y;
  for (const ErrorRow* row : known) {
    y.push_back(row->shipped - m.mean);
    to.push_back((row->family.software == asked.family.software ? m.software * m.software : 0) +
                 (row->family == asked.family ? m.family * m.family : 0));
    std::vector<double>& line = all.emplace_back();
    for (const ErrorRow* other : known) line.push_back(covariance(m, *row, *other));
  }
  const std::vector<double> weights = solved(all, to);
  const double prior = m.software * m.software + m.family * m.family + m.group * m.group + m.run * m.run;
  return {m.mean + dot(weights, y), std::sqrt(prior - dot(weights, to))};
}

}  // namespace

TEST_CASE("what is known of a run is what the joint normal distribution of all runs says") {
  const std::vector<ErrorRow> rows = drawn({0.2, 0.1, 0.05, 0.03}, 6, 3, 4, 1);
  const ErrorModel model{.mean = 0.3, .software = 0.2, .family = 0.1, .group = 0.05, .run = 0.03};
  for (const bool knows_family : {true, false}) {
    const auto known = outlooks(model, rows, knows_family ? LeftOut::nothing : LeftOut::family);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto [mean, sd] = by_brute_force(model, rows, rows[i], knows_family);
      CHECK(known[i].mean == 0);  // the mean widens
      CHECK(known[i].sd == doctest::Approx(std::hypot(sd, mean)));
    }
  }
}

TEST_CASE("the variances of drawn runs are found again, and four fifths lie inside") {
  const Truth truth{0.001, 0.12, 0.04, 0.05};
  const std::vector<ErrorRow> rows = drawn(truth, 60, 4, 5, 7);
  const ErrorModel model = planner::fit_errors(rows);
  CHECK(std::hypot(model.software, model.family) == doctest::Approx(0.12).epsilon(0.25));
  CHECK(std::hypot(model.group, model.run) == doctest::Approx(std::hypot(0.04, 0.05)).epsilon(0.2));
  for (const LeftOut left_out : {LeftOut::family, LeftOut::group}) {
    const planner::ErrorScore all = planner::error_scores(model, rows, left_out).front();
    CHECK(all.rows == 1200);
    CHECK(all.inside_80 > 0.74);
    CHECK(all.inside_80 < 0.86);
    CHECK(all.inside_50 < all.inside_80);
    CHECK(all.inside_95 > all.inside_80);
  }
}

TEST_CASE("generations whose runs scatter more have wider intervals") {
  std::vector<ErrorRow> rows = drawn({0.001, 0.1, 0.03, 0.05}, 40, 3, 4, 3);
  for (ErrorRow& row : rows)
    if (row.family.generation == "hopper") row.shipped = row.left_out *= 3;
  const ErrorModel model = planner::fit_errors(rows);
  const double hopper = model.scatter_of("hopper", planner::JobKind::dense, 16);
  CHECK(hopper > 1.5 * model.scatter_of("ampere", planner::JobKind::dense, 16));
}

TEST_CASE("own runs at a small scale say what larger ones take") {
  std::vector<ErrorRow> rows = drawn({0.001, 0.2, 0.001, 0.02}, 30, 1, 6, 5);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].size.gpus = i % 6 < 3 ? 8 : 128;
  const std::vector<planner::OwnScore> own = planner::own_scores(planner::fit_errors(rows), rows);
  REQUIRE(own.size() == 3);  // with 0, 1 and 2: no group has four small runs
  CHECK(own[0].score.rows == 90);
  CHECK(own[1].score.mean < 0.5 * own[0].score.mean);
  CHECK(own[1].score.half_width < own[0].score.half_width);
  CHECK(own[2].score.mean < 1.1 * own[1].score.mean);
}
