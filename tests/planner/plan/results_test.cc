// The results that conditions, goals and fronts may name: each a figure of the plan, in SI units.
#include "planner/plan/results.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::Results;
using sample::Sets;

TEST_CASE("each result is its figure of the plan") {
  const planner::Plan p =
      sample::plan(sample::gpt({"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.pp=2", "cluster.carbon=0.4"}));
  const Results r = planner::results_of(p);
  const struct {
    const char* name;
    double value;
    dsl::Dim dim;
    bool timed, more;
  } rows[] = {
      {"step", p.step->seconds, dsl::kTime, true, false},
      {"bubble", p.breakdown->bubble, dsl::kTime, true, false},
      {"exposed_comm", p.breakdown->exposed_comm, dsl::kTime, true, false},
      {"serialized_comm", p.breakdown->serialized_comm, dsl::kTime, true, false},
      {"tokens_per_second", p.throughput->tokens_per_second, dsl::kNone, true, true},
      {"mfu", p.throughput->mfu, dsl::kNone, true, true},
      {"hfu", p.throughput->hfu, dsl::kNone, true, true},
      {"scaling_efficiency", 1, dsl::kNone, true, true},
      {"memory.peak", p.memory->device.peak_bytes, dsl::kData, false, false},
      {"memory.headroom", p.memory->device.capacity_bytes - p.memory->device.peak_bytes, dsl::kData, false, true},
      {"gpus", 8, dsl::kNone, false, false},
      {"goodput", p.cost->goodput, dsl::kNone, false, true},
      {"days", *p.cost->days * 86400, dsl::kTime, true, false},
      {"usd", *p.cost->usd, dsl::kMoney, true, false},
      {"kwh", *p.cost->kwh * 3.6e6, dsl::kEnergy, true, false},
      {"co2_kg", *p.cost->co2_kg, dsl::kNone, true, false},
  };
  REQUIRE(planner::result_rows().size() == std::size(rows));
  const std::vector<dsl::Value> values = planner::result_values(r);
  const std::vector<dsl::ResultName> names = planner::result_names();
  for (size_t i = 0; i < std::size(rows); ++i) {
    INFO(std::string(rows[i].name));
    const planner::ResultRow* row = planner::find_result(rows[i].name);
    REQUIRE(row == &planner::result_rows()[i]);
    CHECK(row->value(r) == rows[i].value);
    CHECK(row->scale.dim == rows[i].dim);
    CHECK(row->about.timed() == rows[i].timed);
    CHECK(row->about.more == rows[i].more);
    CHECK(names[i].name == rows[i].name);
    CHECK(names[i].dim == rows[i].dim);
    CHECK(values[i] == dsl::Value{dsl::Number{rows[i].value, rows[i].dim}});
  }
  double hidden = 0;
  for (const planner::CommunicationRow& c : p.communication) hidden += c.hidden_seconds;
  CHECK(r.hidden_comm == hidden);
}

TEST_CASE("a result without a value is null, and no name but its own finds it") {
  const struct {
    Sets sets;
    bool days, usd;
  } rows[] = {
      {{"cluster.price=2 USD/h"}, false, false},
      {{"job.tokens=1e9", "cluster.price=null"}, true, false},
      {{"job.tokens=1e9", "cluster.price=2 USD/h"}, true, true},
  };
  for (const auto& row : rows) {
    const Results r = planner::results_of(sample::plan(sample::gpt(row.sets)));
    const std::vector<dsl::Value> values = planner::result_values(r);
    const auto null = [&](const char* name) {
      return values[static_cast<size_t>(planner::find_result(name) - planner::result_rows().data())].is_null();
    };
    CHECK(null("days") != row.days);
    CHECK(null("usd") != row.usd);
    CHECK(!null("step"));
  }
  for (const char* name : {"", "day", "Step", "memory", "memory.peak "}) CHECK(!planner::find_result(name));
}
