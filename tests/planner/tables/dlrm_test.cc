// Tables put into the plan of a recommender.
#include "planner/tables/dlrm.h"

#include "dsl/read_text.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "tests/planner/tables/site.h"

using namespace planner;

namespace {

/// A shipped scenario with some fields set; what it was read from stays as long as it.
struct Read {
  explicit Read(const std::string& file, const std::vector<std::string>& sets = {}) {
    const auto text = dsl::read_file(file, size_t{1} << 20U, why);
    REQUIRE(text);
    sources.push_back({.name = file, .text = *text, .directory = "scenarios"});
    for (const std::string& set : sets) overrides.push_back({set});
    const dsl::Catalog catalog{builtin_catalog(), {}};
    auto loaded = read_scenario(sources.front(), overrides, catalog, sources, diagnostics);
    REQUIRE(loaded);
    scenario = loaded->scenario;
  }
  std::string why;
  dsl::Sources sources;
  std::vector<dsl::Override> overrides;
  dsl::Diagnostics diagnostics;
  Scenario scenario;
};

/// The tables of the scenario as `trainplan shard` would be given them.
std::vector<tables::Table> own_tables(const Scenario& s) {
  std::vector<tables::Table> list;
  for (const FixedOperator& o : s.model.operators)
    for (int64_t rows : o.tables) list.push_back(sample::table(rows, o.out, static_cast<double>(o.rows)));
  return list;
}

std::string refusal(const Read& read) {
  dsl::Diagnostics diagnostics;
  CHECK_FALSE(tables::dlrm_site(read.scenario, 0.8, diagnostics));
  REQUIRE_FALSE(diagnostics.list.empty());
  return diagnostics.list.front().message;
}

}  // namespace

TEST_CASE("a recommender's site has its batch, precisions and machine, and the rest of its step") {
  const Read read("scenarios/dlrm-large-a100.yaml");
  const Scenario& s = read.scenario;
  dsl::Diagnostics diagnostics;
  const auto at = tables::dlrm_site(s, 0.8, diagnostics);
  REQUIRE(at);
  CHECK(at->site.group.ranks == 8);
  CHECK(at->site.batch == 65536);
  CHECK(at->site.table_bytes == 4);
  CHECK(at->site.exchange_bytes == 2);
  CHECK(at->site.memory_bytes <= 0.8 * s.cluster.gpu.memory.value);
  CHECK(at->dense_peak_bytes + at->site.memory_bytes <= s.cluster.gpu.memory.value);
  const Plan plan = make_plan(s);
  CHECK(at->site.dense_seconds > 0);
  CHECK(at->site.dense_seconds < plan.step->seconds);
}

TEST_CASE("dealt as the plan deals them, its own tables take about the step of the plan") {
  const Read read("scenarios/dlrm-large-a100.yaml", {"operator_models.lookup=reuse"});
  dsl::Diagnostics diagnostics;
  const auto at = tables::dlrm_site(read.scenario, 0.8, diagnostics);
  REQUIRE(at);
  const tables::Comparison c = compare(own_tables(read.scenario), at->site, {.effort = {}, .cuts = false});
  // The plan's lookups use no row twice; its fullest rank has four of 26 tables, as a good placement has.
  const double plan = make_plan(read.scenario).step->seconds, step = c.outcomes[c.best].step.sum();
  CHECK(step <= plan);
  CHECK(step >= 0.7 * plan);
}

TEST_CASE("a scenario that is no recommender's, or not of one microbatch, is refused") {
  CHECK(refusal(Read("scenarios/gpt3-175b.yaml")) == "the model gpt3-175b has no operator of kind lookup");
  CHECK(refusal(Read("scenarios/dlrm-large-a100.yaml", {"parallelism.microbatch=4096"})) ==
        "a step has 2 microbatches: tables are placed for steps of one");
  CHECK(refusal(Read("scenarios/dlrm-large-a100.yaml", {"parallelism.dp=4"})).starts_with("ranks: "));
}

TEST_CASE("tables of another width than the scenario's are told") {
  const Read read("scenarios/dlrm-small-a100.yaml");
  std::vector<tables::Table> list = own_tables(read.scenario);
  dsl::Diagnostics same, other;
  check_width(read.scenario, list, same);
  CHECK(same.list.empty());
  list.pop_back();
  check_width(read.scenario, list, other);
  REQUIRE(other.list.size() == 1);
  CHECK(other.list[0].severity == dsl::Severity::warning);
  CHECK(other.list[0].message.find("3328 values from tables, and these tables give 3200") != std::string::npos);
}
