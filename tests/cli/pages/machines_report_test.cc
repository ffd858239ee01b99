// The page of `clusters`.
#include "cli/pages/machines_report.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::MachineRow;

namespace {

/// A row with the plan of a small model.
MachineRow planned(const char* name, double objective, std::optional<bool> in_time = {}) {
  const planner::Scenario s = sample::gpt({"job.tokens=1e9", "parallelism={tp: 2}"});
  MachineRow row{.name = name, .gpu = s.cluster.gpu.name, .gpus = 8};
  row.plan = sample::plan(s);
  row.layout = s.parallelism;
  row.objective = objective;
  row.price_usd_per_gpu_hour = row.plan->cost->usd_per_gpu_hour;
  row.meets_deadline = in_time;
  return row;
}

std::vector<std::string> lines(const cli::Report& report) {
  std::vector<std::string> out;
  for (const cli::Block& block : report.text)
    if (const auto* line = std::get_if<std::string>(&block)) out.push_back(*line);
  return out;
}

std::vector<std::string> headings(const cli::Report& report) {
  std::vector<std::string> out;
  for (const cli::Block& block : report.text)
    if (const auto* table = std::get_if<cli::Table>(&block))
      for (const cli::Column& c : table->columns) out.push_back(c.heading.empty() ? c.name : c.heading);
  return out;
}

}  // namespace

TEST_CASE("the page names the best row, and asks of limits only where the goal has some") {
  const cli::Report report = cli::machines_report({}, {planned("slow", 2), planned("fast", 1)});
  CHECK(lines(report).back() == "best for the goal: fast with 8 GPUs");
  CHECK(std::ranges::count(headings(report), "meets") == 0);
  CHECK(headings(report).back() == "layout");
  const cli::Report timed = cli::machines_report({}, {planned("slow", 1, false), planned("fast", 2, true)});
  CHECK(lines(timed).back() == "best for the goal: fast with 8 GPUs");
  CHECK(std::ranges::count(headings(timed), "meets") == 1);
}

TEST_CASE("what no row meets, and what has no price, is a line each") {
  MachineRow late = planned("late", 1, false);
  late.price_usd_per_gpu_hour.reset();
  late.miss = {.days = 12.5, .shares = 2};
  const std::vector<std::string> told = lines(cli::machines_report({}, {late, late}));
  MachineRow nearer = planned("nearer", 3, false);
  nearer.miss = {.usd = 17e3, .shares = 0.1};
  REQUIRE(told.size() == 4);
  CHECK(told[2] == "no row meets deadline and budget; nearest: late with 8 GPUs, 12.50 d over the deadline");
  CHECK(lines(cli::machines_report({}, {late, nearer}))[2] ==
        "no row meets deadline and budget; nearest: nearer with 8 GPUs, 17000 USD over the budget");
  CHECK(told[3] == "no price is known of late: give one by --prices FILE or --set 'cluster.price=2 USD/h'");
}

TEST_CASE("a picture has the rows that have days and dollars; the best is ringed") {
  MachineRow unpriced = planned("unpriced", 3);
  unpriced.plan->cost->usd.reset();
  const cli::svg::Front chart = cli::machines_picture({.goal = {.deadline = dsl::Seconds{86400}}},
                                                      {planned("one", 2), unpriced, planned("two", 1)});
  REQUIRE(chart.points.size() == 2);
  CHECK(!chart.points[0].best);
  CHECK(chart.points[1].best);
  CHECK(chart.points[1].label == "two, 8");
  CHECK(chart.points[1].series == "two");
  CHECK(chart.points[1].along->low < chart.points[1].x);
  CHECK(chart.x.limit->label == "deadline 1.000 d");
  CHECK(!chart.y.limit);
  CHECK(chart.points[1].tip.find("tp2 dp4") != std::string::npos);
}

TEST_CASE("the title has the best row of each machine, best first; the first table has these rows") {
  MachineRow small = planned("one", 3);
  small.gpus = 4;
  const cli::Report report = cli::machines_report({}, {small, planned("one", 2), planned("two", 1)});
  const std::string title = lines(report).front();
  CHECK(title.starts_with("a model: 8 x two "));
  CHECK(title.find("; 8 x one ") != std::string::npos);
  CHECK(title.find("4 x one") == std::string::npos);
  std::vector<size_t> rows;
  for (const cli::Block& block : report.text)
    if (const auto* table = std::get_if<cli::Table>(&block)) rows.push_back(table->rows.size());
  CHECK(rows == std::vector<size_t>{2, 3});
  CHECK(report.key_figures.front().name == "run on 8 x two");
}
