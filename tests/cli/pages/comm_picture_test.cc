// The pictures of comm and roadmap: parts that add up, every cell in its place.
#include <doctest/doctest.h>

#include <numeric>

#include "cli/pages/study_pages.h"
#include "planner/plan/comm.h"
#include "planner/studies/roadmap/roadmap.h"
#include "tests/cli/harness.h"
#include "tests/planner/sample.h"

namespace {

TEST_CASE("the parts of the step add up to it, and each class has its bar") {
  const planner::Scenario s = sample::gpt({"parallelism={tp: 2, pp: 2}"});
  const planner::CommAnalysis a = planner::analyse_comm(s);
  const cli::svg::StackedBars chart = cli::comm_bars(s, a);
  REQUIRE(chart.bars.size() == 1 + a.purposes.size());
  const std::vector<double>& parts = chart.bars.front().parts;
  CHECK(parts.size() == chart.series.size());
  CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == doctest::Approx(1));
  for (size_t i = 0; i < a.purposes.size(); ++i) {
    const std::vector<double>& bar = chart.bars[i + 1].parts;
    CHECK(std::accumulate(bar.begin(), bar.end(), 0.0) == doctest::Approx(a.purposes[i].seconds / a.step_seconds));
  }
}

TEST_CASE("a roadmap's grid has a column for each step and a row for each model") {
  std::vector<planner::RoadmapCell> cells(3);
  cells[0].step = cells[1].step = "today";
  cells[2].step = "tomorrow";
  cells[0].model = cells[2].model = "small";
  cells[1].model = "large";
  cells[1].reason = "heads: not divisible";
  cells[0].fractions = cells[2].fractions = planner::CommFractions{.serialized_fraction = 0.25};
  const cli::svg::Grid grid = cli::roadmap_grid("a title", cells);
  CHECK(grid.columns == std::vector<std::string>{"today", "tomorrow"});
  CHECK(grid.rows == std::vector<std::string>{"small", "large"});
  REQUIRE(grid.panels.size() == 2);  // nothing overlaps, no memory is known
  CHECK(grid.panels[0].cells[0][1].value == 0.25);
  CHECK(!grid.panels[0].cells[1][0].value);
  CHECK(grid.panels[0].cells[1][0].tip == "heads: not divisible");
  CHECK(!cli::svg::draw(grid).empty());
  cells[2].results.emplace();
  cells[2].results->days = 12, cells[2].results->usd = 1e6;
  const cli::svg::Grid with_run = cli::roadmap_grid("a title", cells);
  REQUIRE(with_run.panels.size() == 3);
  CHECK(with_run.panels[0].title == "days of the run, and its cost");
  CHECK(with_run.panels[0].cells[0][1].note == "1.000 MUSD");
}

TEST_CASE("comm and roadmap draw themselves; the region of interest has no picture") {
  const char* const scenario =
      "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n"
      "parallelism: {tp: 8}\nroadmap: [flop-vs-bw]\n";
  for (const char* command : {"comm", "roadmap"}) {
    const Ran r = ran({command, "-", "--quiet", "--format", "svg"}, scenario);
    CHECK_MESSAGE(r.status == 0, r.err);
    CHECK(r.out.starts_with("<svg"));
  }
  CHECK(ran({"comm", "-", "--roi", "--format", "svg"}, scenario).status == 2);
}

}  // namespace
