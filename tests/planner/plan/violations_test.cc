// Every rule that makes a layout impossible: it triggers, alone where it can, and a legal neighbour does not.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/plan/goals.h"
#include "planner/plan/layout_rules.h"
#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using planner::Scenario;
using planner::Violation;
using sample::gpt;
using sample::llama;
using sample::Sets;

namespace {

/// With words, and as a search asks: without any.
std::set<std::string> rules(const Scenario& s) {
  std::set<std::string> broken, whether;
  for (const Violation& v : planner::layout_violations(s)) broken.insert(v.rule);
  for (const planner::LayoutRule& rule : planner::layout_rules())
    if (const planner::Message silent = rule.message(s, false)) {
      whether.insert(rule.name);
      if (rule.name != std::string(planner::kFittedRule)) CHECK(silent->empty());
    }
  CHECK(whether == broken);
  return broken;
}
using Rules = std::set<std::string>;

std::string message(const Scenario& s) {
  const auto violations = planner::layout_violations(s);
  REQUIRE(violations.size() == 1);
  return violations.front().message;
}

}  // namespace

TEST_CASE("the samples break no rule") {
  CHECK(rules(gpt()).empty());
  CHECK(rules(llama()).empty());
  CHECK(rules(gpt({"parallelism.tp=2", "parallelism.pp=2", "parallelism.interleave=2", "parallelism.zero=1"})).empty());
}

TEST_CASE("ranks: the degrees' product is the number of GPUs") {
  CHECK(rules(gpt({"parallelism.tp=2", "parallelism.dp=8"})) == Rules{"ranks"});
  CHECK(message(gpt({"parallelism.tp=2", "parallelism.dp=8"})) ==
        "tp 2 x pp 1 x cp 1 x dp 8 = 16 ranks, but the job has 8 GPUs");
}

TEST_CASE("batch: whole microbatches on every data rank") {
  CHECK(rules(gpt({"job.global_batch=60"})) == Rules{"batch"});
  CHECK(rules(gpt({"parallelism.microbatch=16"})) == Rules{"batch"});
  CHECK(rules(gpt({"job.global_batch=60", "parallelism.tp=2"})).empty());
}

TEST_CASE("heads: whole heads and whole groups on every tensor rank") {
  CHECK(rules(gpt({"cluster.gpus=12", "parallelism.tp=12", "model.ffn=4800"})) == Rules{"heads"});
  CHECK(rules(llama({"model.kv_heads=3"})) == Rules{"heads"});
  CHECK(rules(llama({"model.heads=24", "model.head_dim=64", "model.kv_heads=6", "parallelism.tp=4"})) ==
        Rules{"heads"});
  CHECK(rules(llama({"parallelism.tp=8"})).empty());  // 4 key/value heads, each on two ranks
}

TEST_CASE("width: whole columns of the MLP on every tensor rank") {
  CHECK(rules(gpt({"parallelism.tp=8", "model.ffn=4100"})) == Rules{"width"});
}

TEST_CASE("sequence: sequence parallelism divides it") {
  CHECK(rules(gpt({"parallelism.tp=8", "job.sequence=1020", "parallelism.sequence_parallel=true"})) ==
        Rules{"sequence"});
  CHECK(rules(gpt({"parallelism.tp=8", "job.sequence=1020"})).empty());
}

TEST_CASE("layers: every part has one, and a list of stages is complete") {
  CHECK(rules(gpt({"cluster.gpus=16", "parallelism.pp=16"})) == Rules{"layers"});
  CHECK(rules(gpt({"parallelism.pp=4", "parallelism.stages=[4, 4]"})) == Rules{"layers"});
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.stages=[4, 5]"})) == Rules{"layers"});
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.stages=[5, 3]"})).empty());
  CHECK(rules(gpt({"model.layers=6", "parallelism.pp=8"})).empty());  // embedding and head fill a part each
}

TEST_CASE("schedule: one that is a list of operations for each stage takes 1024 stages at most") {
  for (const char* name : {"zb-h1", "zb-v", "v-half", "v-min", "dualpipe-v"}) {
    const std::string set = std::string("parallelism.schedule=") + name;
    const std::string chunks = name == std::string("zb-h1") ? "1" : "2";
    const auto planned = [&](const char* stages) {
      return rules(gpt({set, "parallelism.interleave=" + chunks, std::string("parallelism.pp=") + stages,
                        "model.layers=4096", std::string("job.global_batch=") + "4096"}));
    };
    CHECK(!planned("1024").contains("schedule"));
    CHECK(planned("1025").contains("schedule"));
  }
  const auto told = planner::layout_violations(gpt({"parallelism.schedule=zb-h1", "parallelism.pp=4096"}));
  CHECK(std::ranges::any_of(told, [](const planner::Violation& v) {
    return v.message ==
           "schedule 'zb-h1' is given as a list of operations for each stage, of 1024 stages at most; pp is 4096";
  }));
}

TEST_CASE("schedule: a known one, and interleaving only where the schedule interleaves") {
  Scenario unknown = gpt();
  unknown.parallelism.schedule = "zero";
  CHECK(rules(unknown) == Rules{"schedule"});
  CHECK(message(unknown).find("known: gpipe, 1f1b, interleaved") != std::string::npos);
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.schedule=interleaved"})) == Rules{"schedule"});
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.schedule=zb-v"})) == Rules{"schedule"});
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.interleave=2", "parallelism.schedule=zb-v"})).empty());
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.schedule=zb-h1", "job.phase=forward"})) == Rules{"schedule"});
  CHECK(rules(gpt({"parallelism.pp=2", "parallelism.interleave=2", "parallelism.schedule=1f1b"})) == Rules{"schedule"});
}

TEST_CASE("interleave: a pipeline, and whole groups of microbatches") {
  CHECK(rules(gpt({"parallelism.interleave=2"})) == Rules{"interleave"});
  CHECK(rules(gpt({"parallelism.pp=4", "parallelism.interleave=2", "job.global_batch=60"})) == Rules{"interleave"});
}

TEST_CASE("zero-group: shard groups divide the data ranks") {
  CHECK(rules(gpt({"parallelism.zero=1", "parallelism.zero_group=3"})) == Rules{"zero-group"});
  CHECK(rules(gpt({"parallelism.zero=0", "parallelism.zero_group=3"})).empty());
}

TEST_CASE("zero-pipeline: ZeRO-3 with stages needs FSDP") {
  CHECK(rules(gpt({"parallelism.zero=3", "parallelism.pp=2"})) == Rules{"zero-pipeline"});
  CHECK(rules(gpt({"parallelism.zero=3", "parallelism.pp=2", "software={use: torchtitan}"})).empty());
}

TEST_CASE("topology: the widest tier joins all GPUs") {
  const std::string island = "cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}]";
  CHECK(rules(gpt({"cluster.gpus=16", island})) == Rules{"topology"});
  CHECK(rules(gpt({island})).empty());
}

TEST_CASE("order: each dimension once") {
  CHECK(rules(gpt({"parallelism.order=tp-dp-pp"})) == Rules{"order"});
  CHECK(rules(gpt({"parallelism.order=pp-dp-tp-cp-ep"})).empty());
}

TEST_CASE("precision: the device has a peak for it") { CHECK(rules(gpt({"job.precision=fp8"})) == Rules{"precision"}); }

TEST_CASE("host-link: offloading needs a link to the host, and states its memory's bandwidth") {
  const Sets none{"cluster.host={bandwidth: 0 B/s, memory: 1 TB, memory_bandwidth: 0 B/s}"};
  const Sets link{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 0 B/s}"};
  for (const char* what : {"optimizer", "weights", "activations"}) {
    const Sets half{"parallelism.offload." + std::string(what) + "=0.5"};
    CHECK(rules(gpt(sample::operator+(none, half))) == Rules{"host-link"});
    CHECK(rules(gpt(sample::operator+(link, half))).empty() == (std::string(what) != "optimizer"));
  }
  CHECK(rules(gpt(none)).empty());
  CHECK(rules(gpt({none[0], "job.phase=forward", "parallelism.offload.optimizer=1"})).empty());
}

TEST_CASE("host-memory: what the ranks of a node offload fits beside each other") {
  auto broken = [](const char* memory) {
    const planner::Plan p =
        sample::plan(gpt({"cluster.host={bandwidth: 20 GB/s, memory_bandwidth: 400 GB/s}",
                          "cluster.host.memory=" + std::string(memory), "parallelism.offload.optimizer=1"}));
    Rules found;
    for (const Violation& v : p.violations) found.insert(v.rule);
    CHECK(p.feasible == found.empty());
    CHECK(p.step.has_value());
    return found;
  };
  CHECK(broken("1 GB") == Rules{"host-memory"});
  CHECK(broken("1 TB").empty());
}

TEST_CASE("checkpoint: an interval is no shorter than a save") {
  const Sets save{"cluster.checkpoint={save: 10 s, background: 50 s, detect: 1 s, restart: 1 s}"};
  CHECK(rules(gpt(sample::operator+(save, {"cluster.checkpoint.interval=59 s"}))) == Rules{"checkpoint"});
  CHECK(rules(gpt(sample::operator+(save, {"cluster.checkpoint.interval=60 s"}))).empty());
  CHECK(rules(gpt(save)).empty());
}

TEST_CASE("servers: they hold the states, so that there are none to shard or offload") {
  CHECK(rules(gpt({"parallelism.servers=4"})).empty());
  CHECK(rules(gpt({"parallelism.servers=4", "parallelism.zero=1"})) == Rules{"servers"});
  CHECK(rules(gpt({"parallelism.servers=4", "parallelism.offload.optimizer=1",
                   "cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}"})) ==
        Rules{"servers"});
}

TEST_CASE("context parallelism needs a fused kernel") {
  CHECK(rules(gpt({"parallelism.cp=2"})) == Rules{"unsupported"});
}

TEST_CASE("experts: a model that has them, whole experts on every rank") {
  const Sets mixture{"model.experts.count=8", "model.experts.top_k=2"};
  auto with = [&](const Sets& sets) { return rules(gpt(sample::operator+(mixture, sets))); };
  CHECK(rules(gpt({"parallelism.ep=2"})) == Rules{"experts"});
  CHECK(with({"parallelism.ep=4"}).empty());
  CHECK(with({"model.experts.count=6", "parallelism.ep=4"}) == Rules{"experts"});
  CHECK(with({"model.experts.top_k=9"}) == Rules{"experts"});
  CHECK(with({"model.experts.groups=3"}) == Rules{"experts"});
  CHECK(with({"model.experts.groups=8", "model.experts.groups_per_token=1"}) == Rules{"experts"});
  CHECK(with({"model.experts.first_dense=8"}) == Rules{"experts"});
  CHECK(with({"job.routing.skew=2"}) == Rules{"experts"});
  CHECK(with({"job.routing.skew=2", "parallelism.ep=4"}).empty());
  CHECK(with({"parallelism.ep=8", "parallelism.etp=2"}) == Rules{"expert-ranks"});
  CHECK(with({"parallelism.tp=2"}).empty());  // they share the experts
  CHECK(with({"parallelism.tp=2", "parallelism.etp=1"}) == Rules{"expert-sequence"});
  CHECK(with({"parallelism.tp=2", "parallelism.sequence_parallel=true"}).empty());
  CHECK(with({"parallelism.tp=2", "parallelism.etp=2"}).empty());
  CHECK(with({"parallelism.tp=2", "parallelism.etp=2", "model.experts.ffn=1001"}) == Rules{"width"});
}

TEST_CASE("document: packed documents are no longer than the sequence") {
  CHECK(rules(gpt({"job.document=1025"})) == Rules{"document"});
  CHECK(message(gpt({"job.document=1025"})) == "documents of 1025 tokens do not fit into a sequence of 1024");
  CHECK(rules(gpt({"job.document=100"})).empty());
  const Scenario fixed = sample::scenario(
      "model: {use: gnmt}\njob: {sequence: 25, global_batch: 64, precision: fp32, document: 1}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: ddp-amp}\n");
  CHECK(rules(fixed) == Rules{"document"});
}

TEST_CASE("lora: adapters are trained, narrow, and divide among tensor ranks") {
  CHECK(rules(gpt({"job.lora.rank=16", "job.phase=forward"})) == Rules{"lora"});
  CHECK(rules(gpt({"job.lora.rank=1025"})) == Rules{"lora"});
  CHECK(rules(gpt({"job.lora.rank=4", "parallelism.tp=8"})) == Rules{"lora"});
  CHECK(message(gpt({"job.lora.rank=4", "parallelism.tp=8"})) == "adapters of rank 4 are not divisible by tp 8");
  CHECK(rules(gpt({"job.lora.rank=16", "parallelism.tp=8"})).empty());
  CHECK(rules(gpt({"job.phase=forward"})).empty());
}

TEST_CASE("all mistakes are told at once, and nothing is planned") {
  Scenario s = gpt({"parallelism.tp=3", "parallelism.dp=3", "parallelism.order=tp"});
  s.parallelism.schedule = "x";
  const Rules broken = rules(s);
  for (const char* rule : {"ranks", "heads", "order", "schedule"}) CHECK_MESSAGE(broken.contains(rule), rule);
  const planner::Plan p = planner::make_plan(s);
  CHECK_FALSE(p.feasible);
  CHECK(p.violations.size() == broken.size());
  CHECK_FALSE(p.step.has_value());
  CHECK_FALSE(p.memory.has_value());
  CHECK_FALSE(p.throughput.has_value());
  CHECK_FALSE(p.cost.has_value());
  CHECK(planner::operator_rows(s).empty());
}

TEST_CASE("degrees whose product overflows are a violation, not a crash") {
  const Rules broken = rules(gpt({"parallelism.tp=10000000", "parallelism.pp=10000000", "parallelism.dp=10000000"}));
  CHECK(broken.contains("ranks"));
}

TEST_CASE("goals: a condition, a deadline and a budget that do not hold are violations of their own") {
  auto goals = [](const Sets& sets) {
    const planner::LoadedScenario loaded =
        sample::load(sample::kGpt, sample::operator+({"job.tokens=100e9", "cluster.price=2 USD/h"}, sets));
    planner::Plan p = planner::make_plan(loaded.scenario);
    dsl::Diagnostics diagnostics;
    planner::check_goals(p, loaded, diagnostics);
    CHECK_FALSE(diagnostics.has_errors());
    Rules broken;
    for (const Violation& v : p.violations) broken.insert(v.rule);
    CHECK(p.feasible == broken.empty());
    return broken;
  };
  CHECK(goals({}).empty());
  CHECK(goals({"goal.deadline=1 s"}) == Rules{"deadline"});
  CHECK(goals({"goal.budget=1 USD"}) == Rules{"budget"});
  CHECK(goals({"goal.deadline=1000 d", "goal.budget=1e9 USD"}).empty());
  CHECK(goals({"where=[mfu > 0.99]"}) == Rules{"where"});
  CHECK(goals({"where=[days < 10000 d, memory.peak < 80 GiB, step > 1 us, tokens_per_second > 1]"}).empty());
  CHECK(goals({"where=[days < 1 s, usd < 1 USD]", "goal.budget=1 USD"}) == Rules{"budget", "where"});
}
