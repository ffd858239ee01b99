// Deviations of changes of layout that were drawn from known ones.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "planner/plan/layout_traits.h"
#include "planner/studies/errors/fit_errors.h"

using planner::ErrorRow;

namespace {

constexpr size_t kTp = 2, kPp = 3, kMicrobatch = 7;  // places in the table of traits

/// Jobs whose layouts differ by a walk over doublings of tp and of the microbatch, each with an error of its own.
std::vector<ErrorRow> drawn(double of_tp, double of_microbatch, int jobs) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<ErrorRow> rows;
  for (int job = 0; job < jobs; ++job) {
    double error = 0.1 * normal(random), step = 1;
    int64_t tp = 1, microbatch = 1;
    for (int i = 0; i < 5; ++i) {
      ErrorRow row{.id = "", .group = "", .shipped = error, .size = {.step_seconds = step}, .job = std::to_string(job)};
      row.layout.tp = tp, row.layout.microbatch = microbatch;
      rows.push_back(row);
      if (random() % 2 == 0) tp *= 2, error += of_tp * normal(random);
      else microbatch *= 2, error += of_microbatch * normal(random);
      step *= 0.8;
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("what a doubling does to the error is found again") {
  const std::vector<double> fitted = planner::fit_changes(drawn(0.02, 0.08, 400));
  CHECK(fitted[kTp] == doctest::Approx(0.02).epsilon(0.3));
  CHECK(fitted[kMicrobatch] == doctest::Approx(0.08).epsilon(0.15));
  CHECK(fitted[kPp] > fitted[kTp]);  // it does not vary: the common value
  CHECK(fitted[kPp] < fitted[kMicrobatch]);
}

TEST_CASE("pairs are counted, and so are those that were measured the other way round") {
  std::vector<ErrorRow> rows = drawn(0.02, 0.02, 30);
  std::vector<double> errors(11, 0);
  errors[kTp] = errors[kMicrobatch] = 0.02;
  const planner::ChangeScore fine = planner::change_score(rows, errors);
  CHECK(fine.jobs == 30);
  CHECK(fine.pairs == 300);
  CHECK(fine.apart == 300);  // a fifth faster each time
  CHECK(fine.wrong == 0);
  for (ErrorRow& row : rows) row.shipped = -3 * std::log(row.size.step_seconds);
  CHECK(planner::change_score(rows, errors).wrong == 300);
}

TEST_CASE("runs of one layout are one, and no job with two layouts changes nothing") {
  std::vector<ErrorRow> rows = drawn(0.02, 0.02, 1);
  rows.resize(1);
  rows.push_back(rows.front());
  CHECK(planner::change_score(rows, std::vector<double>(11, 0.04)).jobs == 0);
  CHECK(planner::fit_changes(rows)[kTp] == planner::kUnknownChange);
}
