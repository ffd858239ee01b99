// The picture of a search: its axes, points, labels and front, before it is drawn.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "cli/pages/search_report.h"
#include "cli/svg/text.h"
#include "tests/planner/search/open_sample.h"

using planner::Found;

namespace {

const char* const kOpen = R"(
model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200, positions: 1024}
job: {sequence: 1024, global_batch: 64, precision: fp16, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: [1, 2, 4], pp: [1, 2], microbatch: [1, 2, 4]}
goal: {minimize: step}
)";

const cli::SearchHead kHead{
    .title = "m on g", .goal = "minimize step", .choices = {"parallelism.tp", "parallelism.sp"}};

Found found(int64_t position, double days, double usd, double tp, bool sp) {
  Found f;
  f.position.at = {static_cast<uint32_t>(position)};
  f.choices = {{dsl::Number{tp, dsl::kNone}}, {sp}};
  f.results.days = days, f.results.usd = usd, f.results.gpus = 8;
  return f;
}

std::string tp(int n) { return "tp" + std::string(cli::svg::kFixedBlank) + std::to_string(n); }

}  // namespace

TEST_CASE("plans and those of the front are points once each; the first plan is the best") {
  planner::SearchResult result{.plans = {found(1, 2, 30, 1, false), found(2, 3, 40, 2, true)},
                               .pareto = {found(2, 3, 40, 2, true), found(9, 5, 10, 4, false)},
                               .feasible_gpus = {4, 8}};
  const cli::svg::Front chart = cli::search_picture(kHead, {}, result);
  REQUIRE(chart.points.size() == 3);
  const double days[] = {2, 3, 5}, usd[] = {30, 40, 10};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(chart.points[i].x == doctest::Approx(days[i]));
    CHECK(chart.points[i].y == doctest::Approx(usd[i]));
    CHECK(chart.points[i].best == (i == 0));
  }
  CHECK(cli::svg::undominated(chart) == std::vector<size_t>{0, 2});
  CHECK(chart.x.title == "run, days");
  CHECK(chart.y.title == "cost of the run, USD");
}

TEST_CASE("a label has the choices in which the plans differ, a flag where it is set; the tip has all") {
  const cli::svg::Front both =
      cli::search_picture(kHead, {}, {.plans = {found(1, 1, 1, 1, false), found(2, 2, 2, 2, true)}});
  CHECK(both.points[0].label == tp(1));
  CHECK(both.points[1].label == tp(2) + ", sp");
  CHECK(both.points[0].tip.starts_with("tp 1, sp false, step "));
  CHECK(both.points[1].tip.ends_with(", 8 GPUs"));
  const cli::svg::Front alike =
      cli::search_picture(kHead, {}, {.plans = {found(1, 1, 1, 2, true), found(2, 2, 2, 4, true)}});
  CHECK(alike.points[1].label == tp(4));
  CHECK(alike.points[1].tip.find("sp true") != std::string::npos);
}

TEST_CASE("the axes follow what the plans have: step without days, memory on one machine, GPUs without a price") {
  planner::SearchResult result{.plans = {found(1, 1, 1, 1, false), found(2, 2, 2, 2, false)}};
  CHECK(cli::search_picture(kHead, {}, result).y.title == "memory of the fullest GPU, GiB");
  result.feasible_gpus = {8, 16};
  result.plans[1].results.usd.reset();
  CHECK(cli::search_picture(kHead, {}, result).y.title == "GPUs");
  result.plans[0].results.days.reset();
  CHECK(cli::search_picture(kHead, {}, result).x.title == "step, s");
}

TEST_CASE("--pareto of one axis is set against another one; plans without a value are left out") {
  const planner::SearchOptions days{.pareto = {planner::find_result("days")}};
  planner::SearchResult result{.plans = {found(1, 1, 1, 1, false), found(2, 2, 2, 2, false)}};
  const cli::svg::Front chart = cli::search_picture(kHead, days, result);
  CHECK(chart.x.title == "run, days");
  CHECK(chart.y.title == "memory of the fullest GPU, GiB");
  result.plans[0].results.days.reset();
  const cli::svg::Front one = cli::search_picture(kHead, days, result);
  REQUIRE(one.points.size() == 1);
  CHECK(one.points[0].x == doctest::Approx(2));
  CHECK_FALSE(one.points[0].best);  // the best has no place
  CHECK(cli::search_picture(kHead, days, {}).points.empty());
}

TEST_CASE("the front that a search finds is the front of its picture: sorted, and nothing beaten is on it") {
  const planner::OpenScenario open = sample::opened(kOpen, {});
  const planner::SearchOptions options{.top = 100, .pareto = cli::picture_axes(open)};
  const planner::SearchResult result = planner::search(open, options);
  REQUIRE(result.plans.size() > 5);
  const cli::svg::Front chart = cli::search_picture(cli::search_head(open), options, result);
  CHECK(chart.points.size() == static_cast<size_t>(result.feasible));
  CHECK(chart.subtitle.starts_with(cli::search_head(open).goal + ". "));
  const std::vector<size_t> front = cli::svg::undominated(chart);
  for (size_t i = 1; i < front.size(); ++i) {
    CHECK(chart.points[front[i]].x > chart.points[front[i - 1]].x);
    CHECK(chart.points[front[i]].y < chart.points[front[i - 1]].y);
  }
  using Value = std::pair<double, double>;
  std::set<Value> drawn, searched;
  for (size_t i : front) drawn.insert({chart.points[i].x, chart.points[i].y * 1073741824});
  for (const Found& f : result.pareto) searched.insert({*f.results.days, f.results.peak_bytes});
  REQUIRE(drawn.size() == searched.size());
  CHECK(drawn.size() < chart.points.size());
  CHECK(std::equal(drawn.begin(), drawn.end(), searched.begin(), [](const Value& a, const Value& b) {
    return sample::near(a.first, b.first) && sample::near(a.second, b.second);
  }));
}

TEST_CASE("the axes of a space: days against memory, dollars or GPUs once machines are open") {
  const auto names = [](const sample::Sets& sets) {
    const auto axes = cli::picture_axes(sample::opened(kOpen, sets));
    REQUIRE(axes.size() == 2);
    return std::string(axes[0]->name) + " " + axes[1]->name;
  };
  CHECK(names({}) == "days memory.peak");
  CHECK(names({"cluster.gpus=[8, 16]"}) == "days usd");
  CHECK(names({"job.tokens=null"}) == "step memory.peak");
  CHECK(names({"cluster.gpus=[8, 16]", "job.tokens=null"}) == "step gpus");
}
