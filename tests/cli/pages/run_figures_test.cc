// What titles, key figures and pictures say of a run.
#include "cli/pages/run_figures.h"

#include <doctest/doctest.h>

#include "cli/pages/candidate_rows.h"
#include "dsl/unit_sizes.h"

namespace {

planner::Results results(std::optional<double> days, std::optional<double> usd) {
  planner::Results r;
  r.step = {.seconds = 10, .low_seconds = 9, .high_seconds = 12};
  r.days = days, r.usd = usd;
  r.peak_bytes = 40 * dsl::kGiB, r.headroom_bytes = 24 * dsl::kGiB;
  return r;
}

std::vector<std::string> names(const planner::Results& r) {
  std::vector<std::string> out;
  for (const cli::KeyFigure& figure : cli::run_key_figures(r)) out.push_back(figure.name);
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a run is its days and dollars, without a price its days, without tokens its step") {
  CHECK(cli::run_text(results(30, 2e6)) == "30.00 d, 2.000 MUSD");
  CHECK(cli::run_text(results(30, {})) == "30.00 d");
  CHECK(cli::run_text(results({}, {})) == "10.00 s per step");
}

TEST_CASE("key figures: two of the run with their intervals, and the memory") {
  const std::vector<cli::KeyFigure> figures = cli::run_key_figures(results(30, 2e6));
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].range == "27.00 d to 36.00 d");  // in proportion to the step
  CHECK(figures[1].range == "1.800 MUSD to 2.400 MUSD");
  CHECK(figures[2].value == "40.00 GiB");
  CHECK(figures[2].range == "24.00 GiB left");
  CHECK(names(results(30, {})) == Names{"run", "step", "memory of the fullest GPU"});
  CHECK(names(results({}, {})) == Names{"step", "memory of the fullest GPU"});
}

TEST_CASE("the interval of the days is that of the step") {
  const auto span = cli::days_span(results(30, {}));
  REQUIRE(span);
  CHECK(span->low == doctest::Approx(27));
  CHECK(span->high == doctest::Approx(36));
  CHECK(!cli::days_span(results({}, {})));
}

TEST_CASE("an axis of days has the deadline as its limit, one of dollars the budget, others none") {
  const planner::Goal goal{.deadline = dsl::Seconds{20 * dsl::kDay}, .budget = dsl::Usd{1e6}};
  const auto limit = [&](const char* figure, const planner::Goal& of) {
    cli::svg::FrontAxis axis;
    cli::add_limit(cli::figure_named(figure), of, axis);
    return axis.limit ? axis.limit->label : "";
  };
  CHECK(limit("days", goal) == "deadline 20.00 d");
  CHECK(limit("usd", goal) == "budget 1.000 MUSD");
  CHECK(limit("mfu", goal) == "");
  CHECK(limit("days", {}) == "");
}
