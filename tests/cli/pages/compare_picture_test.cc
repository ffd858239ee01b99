// The waterfall of `compare`, before it is drawn: bars that lead from the step of A to that of B.
#include <doctest/doctest.h>

#include "cli/pages/compare_report.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/scenario/vocabulary.h"
#include "tests/cli/sample_files.h"

using planner::Difference;

namespace {

/// A scenario of its own and its plan.
struct Side {
  explicit Side(const std::string& text) {
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const dsl::Source& source = sources.emplace_back(dsl::Source{"side.yaml", text, ""});
    loaded = planner::read_scenario(source, {}, catalog, sources, diagnostics);
    REQUIRE(loaded);
    plan = planner::make_plan(loaded->scenario);
  }
  cli::ComparedPlan compared() const { return {"", *loaded, plan}; }

  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<planner::LoadedScenario> loaded;
  planner::Plan plan;
};

/// Where a bar ends, whichever part it has.
double end_of(const cli::svg::Bar& bar) { return bar.from + bar.parts[0] + bar.parts[1] + bar.parts[2]; }

}  // namespace

TEST_CASE("bars hang from one another and end at the step of B, those that add before those that take") {
  const Side a(kSmallJob), b(std::string(kSmallJob) + "software: {attention: sdpa, fusion: {norm: false}}\n");
  const double from = a.plan.step->seconds, to = b.plan.step->seconds;
  const std::vector<Difference> differences{{"x", "1", "2", -0.25 * from, {}},
                                            {"nothing", "1", "2", 0, 1.0},
                                            {"y", "no", "yes", 0.5 * from, {}},
                                            {"z + w", "1, 2", "3, 4", to - 1.25 * from, {}}};
  const cli::svg::StackedBars chart = cli::compare_waterfall(a.compared(), b.compared(), differences);
  REQUIRE(chart.bars.size() == 5);  // A, three that are worth something, B
  CHECK(chart.bars.front().parts == std::vector<double>{from, 0, 0});
  CHECK(chart.bars.back().parts == std::vector<double>{to, 0, 0});
  CHECK(chart.bars[1].label == "y");
  CHECK(chart.bars[1].from == from);
  CHECK(end_of(chart.bars[1]) == doctest::Approx(1.5 * from));
  double now = from;
  for (size_t i = 1; i + 1 < chart.bars.size(); ++i) {
    const cli::svg::Bar& bar = chart.bars[i];
    const double change = bar.parts[1] - bar.parts[2];
    CHECK((bar.parts[1] == 0) != (bar.parts[2] == 0));
    CHECK((change > 0 ? bar.from : end_of(bar)) == doctest::Approx(now));
    CHECK(bar.from >= 0);
    now += change;
  }
  CHECK(now == doctest::Approx(to));
}

TEST_CASE("a bar says how much and what changed; of several fields that moved together how much alone") {
  const Side a(kSmallJob);
  const cli::svg::StackedBars chart = cli::compare_waterfall(
      a.compared(), a.compared(), {{"parallelism.tp", "2", "4", 0.5, {}}, {"x + y", "1, 2", "3, 4", -0.5, {}}});
  REQUIRE(chart.bars.size() == 4);
  CHECK(chart.bars[1].note == "+500.0 ms, 2 to 4");
  CHECK(chart.bars[2].note == "-500.0 ms");
}

TEST_CASE("without a step there is nothing to draw, and two plans alike are two bars") {
  const Side a(kSmallJob);
  CHECK(cli::compare_waterfall(a.compared(), a.compared(), {}).bars.size() == 2);
  planner::Plan none = a.plan;
  none.step.reset();
  const cli::svg::StackedBars chart = cli::compare_waterfall(a.compared(), {"", *a.loaded, none}, {});
  CHECK(chart.bars.empty());
  CHECK(chart.nothing == "a layout that does not work or does not fit is not compared");
}
