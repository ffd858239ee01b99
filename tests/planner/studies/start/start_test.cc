// The first scenario: what it follows from, and that its layout is the fastest of those that fit the fewest nodes.
#include "planner/studies/start/start.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/search/rank_plans.h"

namespace {

using planner::StartQuestion;

const dsl::Catalog& catalog() {
  static const dsl::Catalog builtin{planner::builtin_catalog(), {}};
  return builtin;
}

planner::StartFacts facts(const std::string& model, const std::string& cluster) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  auto found = planner::start_facts({.model = model, .cluster = cluster}, catalog(), sources, diagnostics);
  REQUIRE_MESSAGE(found, model << " on " << cluster);
  CHECK_FALSE(diagnostics.has_errors());
  return *std::move(found);
}

std::string text(const std::string& model, const std::string& cluster) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  auto found = planner::starting_scenario({.model = model, .cluster = cluster}, catalog(), sources, diagnostics);
  REQUIRE_MESSAGE(found, model << " on " << cluster);
  return *std::move(found);
}

/// The scenario of a text, with some fields set.
std::optional<planner::LoadedScenario> read(const std::string& text, const std::vector<std::string>& sets = {}) {
  static dsl::Sources sources;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", text, "."});
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  dsl::Diagnostics diagnostics;
  return planner::read_scenario(source, overrides, catalog(), sources, diagnostics);
}

}  // namespace

TEST_CASE("a first scenario's facts: length, batch, run and software of its model and machine") {
  struct Row {
    const char *model, *cluster;
    int64_t sequence;
    bool listed;
    const char* software;
  };
  for (const Row& row :
       {Row{"llama3-8b", "dgx-h100", 4096, false, "megatron-core"},
        Row{"gpt3-175b", "dgx-a100-80gb", 2048, false, "megatron-core"},
        Row{"bert-large", "dgx-a100-40gb", 512, false, "megatron-core"},
        Row{"llama3-8b", "tpu-v5p-pod", 4096, false, "maxtext-tpu"},
        Row{"llama3-8b", "mi300x-oam", 4096, false, "megatron-core"},
        Row{"resnet-50", "dgx-a100-80gb", 1, true, "ddp-amp"}, Row{"dlrm-small", "dgx-a100-80gb", 1, true, "ddp-amp"},
        Row{"gnmt", "dgx-a100-80gb", 64, true, "ddp-amp"}}) {
    CAPTURE(std::string(row.model));
    const planner::StartFacts f = facts(row.model, row.cluster);
    CHECK(f.sequence == row.sequence);
    CHECK(f.listed == row.listed);
    CHECK(std::string(f.software) == row.software);
    CHECK(f.batch > 0);
    CHECK(f.nodes > 0);
    CHECK(f.tokens >= static_cast<double>(f.batch * f.sequence));
  }
}

TEST_CASE("a run has 20 tokens for each parameter that sees one, in two digits; larger models have larger steps") {
  double batch = 0, nodes = 0;
  for (const char* model : {"gpt3-125m", "gpt3-1.3b", "gpt3-13b", "gpt3-175b"}) {
    const planner::StartFacts f = facts(model, "dgx-a100-80gb");
    CHECK(std::abs(f.tokens / (20 * f.active) - 1) < 0.05);
    CHECK(static_cast<double>(f.batch * f.sequence) >= batch);
    CHECK(static_cast<double>(f.nodes) >= nodes);
    batch = static_cast<double>(f.batch * f.sequence);
    nodes = static_cast<double>(f.nodes);
  }
  const planner::StartFacts experts = facts("mixtral-8x7b", "dgx-h100");
  CHECK(experts.active < experts.parameters);
}

TEST_CASE("the layout of a first scenario is feasible, and no other of those that it proposes is faster for sure") {
  for (const auto& [model, cluster] : {std::pair{"gpt3-13b", "dgx-a100-80gb"}, {"mixtral-8x7b", "dgx-h100"}}) {
    const std::string own = text(model, cluster);
    const auto loaded = read(own);
    REQUIRE(loaded);
    const planner::Plan plan = planner::make_plan(loaded->scenario);
    CHECK(plan.feasible);
    for (const char* set : {"parallelism.tp=1", "parallelism.tp=2", "parallelism.tp=8", "parallelism.pp=2",
                            "parallelism.microbatch=1", "parallelism.microbatch=4", "parallelism.recompute=full"}) {
      const auto other = read(own, {set});
      REQUIRE(other);
      const planner::Plan its = planner::make_plan(other->scenario);
      CAPTURE(std::string(set));
      const double farthest_tie = std::exp(-planner::TieWindow{}.width);
      if (its.feasible) CHECK(its.step->seconds >= plan.step->seconds * farthest_tie);
    }
  }
}

TEST_CASE("a first scenario names files and odd names so that they are read again") {
  CHECK(text("./scenarios/models/gpt2.yaml", "dgx-h100").find("model: {use: ./scenarios/models/gpt2.yaml}") !=
        std::string::npos);
  CHECK(read(text("hf:tests/planner/import/hf/llama-3.1-8b", "dgx-h100")));
}

TEST_CASE("a model that no number of nodes holds, and names that there are not, are diagnosed without a place") {
  struct Row {
    const char *model, *cluster, *message;
  };
  for (const Row& row :
       {Row{"nothing", "dgx-h100", "no model named 'nothing'"}, Row{"gpt2", "nothing", "no cluster named 'nothing'"},
        Row{"dgx-h100", "dgx-h100", "no model named 'dgx-h100'"}}) {
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    CHECK_FALSE(
        planner::starting_scenario({.model = row.model, .cluster = row.cluster}, catalog(), sources, diagnostics));
    REQUIRE(diagnostics.list.size() == 1);
    CHECK(diagnostics.list[0].message == row.message);
    CHECK(diagnostics.list[0].span.source == nullptr);
  }
}
