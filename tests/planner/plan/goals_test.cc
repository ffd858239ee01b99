// Goals: every result that a condition may name is the plan's own figure, and missing figures are reported.
#include "planner/plan/goals.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

#include "tests/planner/sample.h"

using planner::Plan;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kRun{"cluster.gpus=16", "job.tokens=1e12", "cluster.price=2 USD/h"};

struct Checked {
  Plan plan;
  dsl::Diagnostics diagnostics;
};

Checked checked(const Sets& sets) {
  const planner::LoadedScenario loaded = sample::load(sample::kGpt, sets);
  Checked c{planner::make_plan(loaded.scenario), {}};
  planner::check_goals(c.plan, loaded, c.diagnostics);
  return c;
}

bool holds(const std::string& condition, const Sets& more = {}) {
  const Checked c = checked(kRun + more + Sets{"where=[\"" + condition + "\"]"});
  CHECK_FALSE(c.diagnostics.has_errors());
  CHECK(c.plan.feasible == c.plan.violations.empty());
  for (const planner::Violation& v : c.plan.violations) {
    CHECK(v.rule == "where");
    CHECK(v.message == "'" + condition + "' does not hold");
  }
  return c.plan.feasible;
}

/// The message of the one violation of this rule, or "".
std::string message(const Checked& c, const std::string& rule) {
  for (const planner::Violation& v : c.plan.violations)
    if (v.rule == rule) return v.message;
  return "";
}

}  // namespace

TEST_CASE("each result that a condition names is that figure of the plan, in its unit") {
  const Plan p = checked(kRun).plan;
  const double capacity = p.memory->device.capacity_bytes, peak = p.memory->device.peak_bytes;
  struct Row {
    const char* name;
    double value;
    const char* unit;
  };
  for (const Row& r :
       {Row{"step", p.step->seconds, "s"}, Row{"days", *p.cost->days, "d"}, Row{"usd", *p.cost->usd, "USD"},
        Row{"kwh", *p.cost->kwh, "kWh"}, Row{"gpus", 16, ""}, Row{"mfu", p.throughput->mfu, ""},
        Row{"hfu", p.throughput->hfu, ""}, Row{"tokens_per_second", p.throughput->tokens_per_second, ""},
        Row{"memory.peak", peak, "B"}, Row{"memory.headroom", capacity - peak, "B"},
        Row{"exposed_comm", p.breakdown->exposed_comm, "s"}, Row{"goodput", p.cost->goodput, ""},
        Row{"scaling_efficiency", 1, ""}}) {
    CAPTURE(r.name);
    const std::string less = fmt::format("{:.12f} {}", r.value * (1 - 1e-6), r.unit),
                      more = fmt::format("{:.12f} {}", r.value * (1 + 1e-6), r.unit);
    CHECK(holds(fmt::format("{} > {}", r.name, less)));
    CHECK(holds(fmt::format("{} < {}", r.name, more)));
    CHECK_FALSE(holds(fmt::format("{} > {}", r.name, more)));
    CHECK_FALSE(holds(fmt::format("{} < {}", r.name, less)));
  }
}

TEST_CASE("energy compares with any unit of energy") {
  const double kwh = *checked(kRun).plan.cost->kwh;
  CHECK(holds(fmt::format("kwh < {} MWh", kwh / 1000 * 1.01)));
  CHECK(holds(fmt::format("kwh > {} J", kwh * 3.6e6 * 0.99)));
}

TEST_CASE("conditions may compute with fields and results together") {
  CHECK(holds("gpus == cluster.gpus"));
  CHECK(holds("parallelism.dp * parallelism.tp == gpus"));
  CHECK(holds("memory.peak + memory.headroom > 79 GiB"));
  CHECK_FALSE(holds("serialized_comm + exposed_comm + bubble > step"));
  CHECK(holds("bubble == 0 s"));
  CHECK_FALSE(holds("bubble == 0 s", {"parallelism.pp=4"}));
}

TEST_CASE("every condition that fails is a violation of its own, in order") {
  const Checked c = checked(kRun + Sets{"where=[mfu > 2, gpus > 1, hfu > 2]"});
  REQUIRE(c.plan.violations.size() == 2);
  CHECK(c.plan.violations[0].message == "'mfu > 2' does not hold");
  CHECK(c.plan.violations[1].message == "'hfu > 2' does not hold");
}

TEST_CASE("a deadline and a budget say what the run takes and what was allowed") {
  const Plan p = checked(kRun).plan;
  const Checked late = checked(kRun + Sets{"goal.deadline=12 h", "goal.budget=10 USD"});
  CHECK(message(late, "deadline") ==
        fmt::format("the run takes {:.1f} days, {:.1f} over the deadline of 0.5", *p.cost->days, *p.cost->days - 0.5));
  CHECK(message(late, "budget") ==
        fmt::format("the run costs {:.0f} USD, {:.0f} over the budget of 10", *p.cost->usd, *p.cost->usd - 10));
  const Sets just{fmt::format("goal.deadline={} d", *p.cost->days * 1.0001),
                  fmt::format("goal.budget={} USD", *p.cost->usd * 1.0001)};
  CHECK(checked(kRun + just).plan.feasible);
}

TEST_CASE("a run without tokens has no length and no price") {
  const Checked c = checked({"goal.deadline=1000 d", "goal.budget=1e9 USD"});
  CHECK(message(c, "deadline") == "the run has no length: give job.tokens");
  CHECK(message(c, "budget") == "the run has no price: give job.tokens");
  CHECK_FALSE(c.plan.feasible);
  CHECK(checked({}).plan.feasible);
}

TEST_CASE("a cluster without a price has a length but no bill") {
  const Checked c = checked(
      {"job.tokens=1e12", "cluster={use: dgx-h200, gpus: 8}", "goal.deadline=100000 d", "goal.budget=1e12 USD"});
  CHECK(c.plan.cost->days.has_value());
  CHECK(c.plan.cost->kwh.has_value());
  CHECK_FALSE(c.plan.cost->usd.has_value());
  CHECK(message(c, "deadline") == "");
  CHECK(message(c, "budget") == "dgx-h200 has no price: give one by --prices FILE or --set 'cluster.price=2 USD/h'");
}

TEST_CASE("a run that lacks tokens and a price is told both") {
  const Checked c = checked({"cluster={use: dgx-h200, gpus: 8}", "goal.budget=1e12 USD"});
  CHECK(message(c, "budget") ==
        "dgx-h200 has no price: give one by --prices FILE or --set 'cluster.price=2 USD/h', and job.tokens");
}

TEST_CASE("a layout that cannot be built is not asked for its goals") {
  const Checked c =
      checked(kRun + Sets{"parallelism.tp=3", "parallelism.dp=3", "goal.deadline=1 s", "where=[mfu > 2]"});
  CHECK_FALSE(c.plan.feasible);
  CHECK(message(c, "deadline") == "");
  CHECK(message(c, "where") == "");
  CHECK(c.diagnostics.list.empty());
}

TEST_CASE("a plan that does not fit keeps that violation beside those of its goals") {
  const Checked c = checked(kRun + Sets{"model.hidden=20480", "model.heads=64", "goal.budget=1 USD"});
  CHECK(message(c, "memory") != "");
  CHECK(message(c, "budget") != "");
}
