// Goals, deadlines, budgets and conditions over results, candidate by candidate.
#include "planner/search/goal.h"

#include <doctest/doctest.h>

#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

using planner::SearchResult;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kRun{"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.tp=[1, 2, 4]"};

planner::Results results_with(const Sets& sets) {
  return planner::results_of(sample::plan(sample::scenario(sample::kGpt, sets)));
}

/// What the goal says of each candidate, with the results of tp 1: the broken rule, or the objective.
std::string verdicts(const Sets& sets, planner::Results results, bool scaling = true) {
  const planner::OpenScenario open = sample::opened(sample::kGpt, sets);
  const planner::GoalCheck check(open, scaling);
  std::string out;
  for (dsl::Cursor cursor(open.space); cursor.next();) {
    double objective = 0;
    size_t unmet = 0;
    const char* rule = check.broken(cursor, results, objective, unmet);
    out += (out.empty() ? "" : " ") + (rule ? std::string(rule) : dsl::to_text(dsl::Value{dsl::Number{objective, {}}}));
  }
  return out;
}

planner::Results round_results() {
  planner::Results r{.step = {}, .errors = {}};
  r.step.seconds = 2, r.mfu = 0.5, r.gpus = 8, r.tokens_per_second = 100, r.peak_bytes = 3e9, r.headroom_bytes = 1e9;
  r.days = 4, r.usd = 1000, r.kwh = 7, r.scaling_efficiency = 0.8;
  return r;
}

planner::Results priceless() {
  planner::Results r = round_results();
  r.usd = std::nullopt;
  return r;
}

planner::Results endless() {
  planner::Results r = priceless();
  r.days = r.kwh = std::nullopt;
  return r;
}

}  // namespace

TEST_CASE("a goal is what is small, or refuses by its rule") {
  const struct {
    const char* goal;
    planner::Results (*results)();
    const char* says;  // of tp 1, 2 and 4
  } rows[] = {
      {"{}", round_results, "2 2 2"},
      {"{minimize: step}", round_results, "2 2 2"},
      {"{maximize: mfu}", round_results, "-0.5 -0.5 -0.5"},
      {"{minimize: days}", round_results, "345600 345600 345600"},
      {"{minimize: kwh}", round_results, "25200000 25200000 25200000"},
      {"{minimize: gpus}", round_results, "8 8 8"},
      {"{maximize: memory.headroom}", round_results, "-1000000000 -1000000000 -1000000000"},
      {"{minimize: tp}", round_results, "1 2 4"},
      {"{maximize: tp}", round_results, "-1 -2 -4"},
      {"{minimize: step * tp}", round_results, "2 4 8"},
      {"{minimize: usd + 500 USD/d * days}", round_results, "3000 3000 3000"},
      {"{minimize: \"if(tp > 1, step, 2 * step)\"}", round_results, "4 2 2"},
      {"{minimize: 1 / (tp - 2)}", round_results, "-1 goal 0.5"},
      {"{minimize: usd}", priceless, "goal goal goal"},
      {"{minimize: usd * 2}", priceless, "goal goal goal"},
      {"{minimize: \"if(tp > 1, usd / 1 USD, step / 1 s)\"}", priceless, "2 goal goal"},
      {"{maximize: days}", endless, "goal goal goal"},
      {"{minimize: step, deadline: 4 d}", round_results, "2 2 2"},
      {"{minimize: step, deadline: 345599 s}", round_results, "deadline deadline deadline"},
      {"{minimize: step, deadline: 100 d}", endless, "deadline deadline deadline"},
      {"{minimize: step, budget: 1000 USD}", round_results, "2 2 2"},
      {"{minimize: step, budget: 999.9 USD}", round_results, "budget budget budget"},
      {"{minimize: step, budget: 1e9 USD}", priceless, "budget budget budget"},
      {"{minimize: usd, deadline: 1 s, budget: 1 USD}", round_results, "deadline deadline deadline"},
      {"{minimize: usd, budget: 1 USD}", priceless, "budget budget budget"},
      // limits that differ between candidates
      {"{minimize: step, deadline: tp * 2 d}", round_results, "deadline 2 2"},
      {"{minimize: step, budget: 2000 USD / tp}", round_results, "2 2 budget"},
      {"{minimize: step, deadline: [3 d, 5 d]}", round_results, "deadline 2 deadline 2 deadline 2"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.goal));
    CHECK(verdicts(kRun + Sets{std::string("goal=") + row.goal}, row.results()) == row.says);
  }
}

TEST_CASE("conditions over results are asked before deadline, budget and goal") {
  const struct {
    const char* where;
    planner::Results (*results)();
    bool scaling;
    const char* says;
  } rows[] = {
      {"[mfu >= 0.5]", round_results, true, "2 2 2"},
      {"[mfu > 0.5]", round_results, true, "where where where"},
      {"[memory.peak <= 3 GB, step < tp * 1.5 s]", round_results, true, "where 2 2"},
      {"[memory.headroom > 1 GB]", round_results, true, "where where where"},
      {"[gpus == 8 and usd < 1001 USD]", round_results, true, "2 2 2"},
      {"[usd < 1001 USD]", priceless, true, "where where where"},
      {"[tp > 1 or usd < 1001 USD]", priceless, true, "where 2 2"},
      {"[\"if(tp > 1, mfu > 0.1, usd > 1 USD)\"]", priceless, true, "where 2 2"},
      {"[scaling_efficiency >= 0.8]", round_results, true, "2 2 2"},
      {"[scaling_efficiency > 0.8]", round_results, true, "where where where"},
      {"[scaling_efficiency > 0.8]", round_results, false, "2 2 2"},
      {"[scaling_efficiency > 0.8, mfu > 0.6]", round_results, false, "where where where"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.where));
    CHECK(verdicts(kRun + Sets{std::string("where=") + row.where}, row.results(), row.scaling) == row.says);
  }
  CHECK(verdicts(kRun + Sets{"where=[mfu > 0.6]", "goal={minimize: usd, deadline: 1 s}"}, round_results()) ==
        "where where where");
}

TEST_CASE("a sweep names every rule that a result breaks") {
  const planner::OpenScenario open =
      sample::opened(sample::kGpt, kRun + Sets{"where=[mfu > 0.6, step < 1 s, gpus == 8]",
                                               "goal={minimize: usd, deadline: 1 d, budget: 250 USD * tp}"});
  const planner::GoalCheck check(open, true);
  std::string out;
  for (dsl::Cursor cursor(open.space); cursor.next(); out += ";")
    for (const char* rule : check.all_broken(cursor, round_results())) out += std::string(" ") + rule;
  CHECK(out == " where where deadline budget; where where deadline budget; where where deadline;");
}

TEST_CASE("a goal shares the error of the time where it moves with it") {
  const struct {
    const char* goal;
    bool timed;
  } rows[] = {
      {"{}", true},
      {"{minimize: usd}", true},
      {"{minimize: gpus}", false},
      {"{minimize: memory.peak}", false},
      {"{maximize: memory.headroom}", false},
      {"{minimize: tp + gpus}", false},
      {"{minimize: gpus * days}", true},
      {"{maximize: scaling_efficiency}", true},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.goal));
    const planner::OpenScenario open = sample::opened(sample::kGpt, kRun + Sets{std::string("goal=") + row.goal});
    CHECK(planner::GoalCheck(open, true).timed() == row.timed);
  }
}

TEST_CASE("scaling efficiency is looked for in goal and conditions") {
  const auto reads = [](const Sets& sets) {
    return planner::reads_scaling(sample::opened(sample::kGpt, kRun + sets), {});
  };
  CHECK(!reads({}));
  CHECK(!reads({"goal={minimize: usd}", "where=[mfu > 0.1, tp < 4]"}));
  CHECK(reads({"goal={maximize: scaling_efficiency}"}));
  CHECK(reads({"goal={minimize: usd / scaling_efficiency}"}));
  CHECK(reads({"where=[tp < 4, mfu > 0.1 and scaling_efficiency > 0.5]"}));
}

TEST_CASE("a search counts what its goal refuses, and ranks the rest") {
  const auto search = [](const Sets& sets) {
    return planner::search(sample::opened(sample::kGpt, sets), {.pareto = {}});
  };
  const Sets no_price{"job.tokens=1e9", "cluster.price=null", "parallelism.tp=[1, 2]"};
  const SearchResult refused = search(no_price + Sets{"goal={minimize: usd}"});
  CHECK(refused.candidates == 2);
  CHECK(refused.evaluated == 2);
  CHECK(refused.feasible == 0);
  CHECK(refused.rejected == std::map<std::string, int64_t>{{"goal", 2}});

  const double usd = results_with({"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.tp=2"}).usd.value();
  const Sets limit{"goal={maximize: step, budget: " + dsl::to_text(dsl::Value{dsl::Number{usd, dsl::kMoney}}) + "}"};
  const SearchResult within = search(kRun + limit);  // tp 2 costs the budget to the last bit, tp 4 more
  REQUIRE(within.plans.size() == 2);
  CHECK(within.rejected == std::map<std::string, int64_t>{{"budget", 1}});
  CHECK(within.plans[0].parallelism.tp == 2);
  CHECK(within.plans[0].objective == -within.plans[0].results.step.seconds);
}
