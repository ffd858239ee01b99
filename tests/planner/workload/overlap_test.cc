// Two streams that slow each other: how long a transfer sticks out of what it hides under.
#include "planner/workload/overlap.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <tuple>

#include "planner/workload/cost.h"
#include "planner/workload/placement.h"
#include "tests/planner/sample.h"

using planner::exposed_seconds;
using planner::Hide;
using planner::Scenario;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kLarge{"model.hidden=4096", "model.ffn=11008", "model.heads=32", "parallelism.microbatch=4"};

/// The transfer and its cover, as costed in a layer.
struct Pair {
  double network, compute, exposed;
};
Pair pair(const Scenario& s, const std::string& name) {
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  for (const planner::CostedOp& op : c.blocks[1].ops)
    if (op.work->name == name && op.work->hide == Hide::cover)
      return {op.cost.seconds.value, c.blocks[1].ops[static_cast<size_t>(op.work->cover)].cost.seconds.value,
              op.exposed};
  FAIL("no hidden ", name);
  return {};
}

double slowed(const Scenario& base, const std::map<std::string, double>& rows) {
  Scenario s = base;
  s.calibration.contention.clear();
  for (const auto& [key, factor] : rows) s.calibration.contention[key] = {.slowdown = factor};
  return sample::plan(s).step->seconds;
}

}  // namespace

TEST_CASE("a transfer shows where it outlasts its cover, and by what both lose while together") {
  struct Row {
    double compute, network, slowdown, exposed;
  };
  for (const Row& r : {Row{4, 3, 1, 0}, Row{3, 4, 1, 1}, Row{4, 3, 1.5, 1.5}, Row{3, 4, 1.5, 2.5}, Row{0, 4, 2, 4},
                       Row{4, 0, 2, 0}, Row{2, 2, 1.25, 0.5}})
    CHECK(exposed_seconds(r.compute, r.network, r.slowdown) == r.exposed);
}

TEST_CASE("what does not really run beside its cover waits, and is not slowed") {
  struct Row {
    double compute, network, slowdown, hidden, exposed;
  };
  for (const Row& r : {Row{4, 3, 1, 0.5, 1.5}, Row{3, 4, 1, 0.5, 2.5}, Row{4, 4, 1.5, 0.5, 3}, Row{4, 3, 1.5, 0, 3},
                       Row{0, 4, 1.5, 0.5, 4}})
    CHECK(exposed_seconds(r.compute, r.network, r.slowdown, r.hidden) == r.exposed);
}

TEST_CASE("each share of hiding is about its own transfers") {
  const Sets fsdp{"software.fsdp=true", "parallelism.zero=3"};
  const Sets tensor{"parallelism.tp=4", "parallelism.sequence_parallel=true"};
  const auto seconds = [](const Sets& sets) { return sample::plan(llama(kLarge + sets)).step->seconds; };
  const Sets half_data{"software.overlap.hidden_data=0.5"}, half_tensor{"software.overlap.hidden_tensor=0.5"};
  CHECK(seconds(fsdp + half_data) > seconds(fsdp) * 1.001);
  CHECK(seconds(fsdp + half_tensor) == seconds(fsdp));
  CHECK(seconds(tensor + half_tensor) > seconds(tensor) * 1.001);
  // Hiding nothing is the same as no overlap.
  const Sets none{"software.overlap.hidden_data=0"},
      off{"software.overlap.gradients=false", "software.overlap.parameters=false"};
  CHECK(near(seconds(fsdp + none), seconds(fsdp + off)));
}

TEST_CASE("exposed time is never negative, and never more than both one after the other if slowed at most twice") {
  CHECK(rc::check([] {
    const double compute = *rc::gen::inRange(0, 1000), network = *rc::gen::inRange(0, 1000);
    const double slowdown = 1 + *rc::gen::inRange(0, 100) / 100.0;
    const double exposed = exposed_seconds(compute, network, slowdown);
    RC_ASSERT(exposed >= 0);
    RC_ASSERT(exposed <= network * (1 + 1e-12));
    RC_ASSERT(exposed <= exposed_seconds(compute, network + 1, slowdown));
    RC_ASSERT(exposed <= exposed_seconds(compute, network, slowdown + 0.1));
  }));
}

TEST_CASE("the widest tier of a transfer picks its row") {
  Scenario s = llama({"cluster.gpus=64", "parallelism.tp=4", "software.overlap.tensor=true"});
  s.calibration.contention = {{"compute+nvlink", {.slowdown = 1.1}}, {"compute+infiniband", {.slowdown = 1.3}}};
  const auto of = [&](const operator_models::Group& group) {
    planner::WorkOp op;
    op.op = operator_models::Collective{.bytes = {1e6}, .group = group};
    return planner::contention_of(s, op);
  };
  CHECK(of(planner::tensor_group(s)) == 1.1);
  CHECK(of(planner::data_group(s)) == 1.3);  // two ranks in each node, but eight nodes
  CHECK(of({.ranks = 1, .inside = {1, 1}}) == 1);
  planner::WorkOp send;
  send.op = operator_models::SendRecv{.bytes = {1e6}, .tier = 1};
  CHECK(planner::contention_of(s, send) == 1);
}

TEST_CASE("hidden under its cover, a transfer still costs its share of contention") {
  Scenario s = llama(kLarge + Sets{"parallelism.tp=4"});
  for (double factor : {1.0, 1.126, 1.5}) {
    s.calibration.contention = {{"compute+nvlink", {.slowdown = factor}}};
    for (const char* name : {"attention.qkv.dgrad.all-reduce", "mlp.fc1.dgrad.all-reduce"}) {
      const Pair p = pair(s, name);
      CHECK(near(p.exposed, exposed_seconds(p.compute, p.network, factor)));
    }
  }
}

TEST_CASE("a step slows with the contention of the tiers it overlaps on, and of no other") {
  const Scenario inside = llama(kLarge + Sets{"parallelism.tp=4"});
  const double alone = slowed(inside, {});
  CHECK(slowed(inside, {{"compute+infiniband", 2}}) == alone);
  CHECK(slowed(inside, {{"compute+nvlink", 1.2}}) > alone);
  CHECK(slowed(inside, {{"nvlink+compute", 1.2}}) == slowed(inside, {{"compute+nvlink", 1.2}}));
  CHECK(slowed(inside, {{"default", 1.2}}) == slowed(inside, {{"compute+nvlink", 1.2}}));
  double last = alone;
  for (double factor : {1.1, 1.3, 1.6, 2.0}) {
    const double now = slowed(inside, {{"compute+nvlink", factor}});
    CHECK(now > last);
    last = now;
  }
}

TEST_CASE("software that overlaps nothing feels no contention") {
  const Scenario s =
      llama(kLarge + Sets{"parallelism.tp=4", "parallelism.zero=1",
                          "software.overlap={tensor_backward: false, gradients: false, parameters: false}"});
  CHECK(slowed(s, {{"default", 3}}) == slowed(s, {}));
}

TEST_CASE("transfers beside the same unit wait together: their exposed seconds are one sum, dealt by length") {
  Scenario s = llama({"software={use: torchtitan}", "parallelism.zero=3", "job.sequence=512"});
  s.calibration.contention = {{"default", {.slowdown = 1.25}}};
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  double network = 0, exposed = 0, busy = c.blocks[1].backward.compute + c.blocks[1].backward.serialized;
  for (const planner::CostedOp& op : c.blocks[1].ops)
    if (op.work->hide == Hide::block && op.work->phase == planner::StepPhase::backward) {
      network += op.cost.seconds.value;
      exposed += op.exposed;
    }
  REQUIRE(network > 0);
  CHECK(near(exposed, exposed_seconds(busy, network, 1.25, s.software.overlap.hidden_data)));
  CHECK(near(c.blocks[1].backward.exposed, exposed));
  for (const planner::CostedOp& op : c.blocks[1].ops)
    if (op.work->hide == Hide::block && op.work->phase == planner::StepPhase::backward)
      CHECK(near(op.exposed / exposed, op.cost.seconds.value / network));
}

TEST_CASE("work that uses a transfer's own wire hides that much less of it; other wires do not matter") {
  Scenario s = llama({"cluster.gpus=64"});
  s.calibration.contention = {{"default", {.slowdown = 1.1}}};
  planner::WorkOp reduce;
  reduce.phase = planner::StepPhase::backward;
  reduce.hide = Hide::last_backward;
  reduce.op = operator_models::Collective{.bytes = {1e9}, .group = planner::data_group(s)};
  std::vector<planner::CostedOp> ops{{.work = &reduce, .cost = {.seconds = {3}}, .communication = true}};
  constexpr int nvlink = 0, infiniband = 1, to_host = planner::kMostTiers;
  auto exposed = [&](const std::map<int, double>& wires, double last = 0) {
    planner::WireSeconds busy{};
    for (const auto& [wire, seconds] : wires) busy[static_cast<size_t>(wire)] = seconds;
    const double sum = planner::expose(s, std::array{&ops[0]}, {.seconds = 4, .busy = &busy, .last_share = last});
    CHECK(ops[0].exposed == sum);
    return sum;
  };
  CHECK(near(exposed({}), exposed_seconds(4, 3, 1.1)));
  CHECK(near(exposed({{nvlink, 2}, {to_host, 2}}), exposed_seconds(4, 3, 1.1)));
  CHECK(near(exposed({{infiniband, 2}}), exposed_seconds(2, 3, 1.1)));
  CHECK(near(exposed({{infiniband, 5}}), 3));
  CHECK(near(exposed({}, 0.5), 1.5));
}

TEST_CASE("the busy seconds of a pass are those of its communication, wire by wire") {
  // Context ranks side by side in nodes of eight, tensor ranks inside: the ring of 16 leaves the node.
  const Scenario s = llama({"cluster.gpus=64", "parallelism.tp=2", "parallelism.cp=16", "job.sequence=8192"});
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  const planner::Chunk held = c.workload.classes.front().total();
  for (auto phase : {planner::StepPhase::forward, planner::StepPhase::backward}) {
    std::map<std::string, double> expected;
    for (size_t i = 0; i < held.size(); ++i)
      for (const planner::CostedOp& op : c.blocks[i].ops)
        if (const auto* made = std::get_if<operator_models::Collective>(&op.work->op); made && op.work->phase == phase)
          expected[planner::tier_names(s, made->group).back()] +=
              static_cast<double>(held[i]) * op.work->count * op.cost.seconds.value;
    REQUIRE(expected.size() == 2);
    const planner::BlockTotals& totals = c.classes.front().sums.totals;
    const planner::WireSeconds& busy =
        phase == planner::StepPhase::forward ? totals.busy_forward : totals.busy_backward;
    REQUIRE(s.cluster.network.size() == 2);
    for (size_t wire = 0; wire < 2; ++wire) CHECK(near(busy[wire], expected.at(s.cluster.network[wire].name)));
  }
}

TEST_CASE("a gradient reduction shares its NICs with the sends of an interleaved pipeline, and only there") {
  const Sets layout{"cluster.gpus=64", "parallelism.pp=4", "parallelism.interleave=2",
                    "model.layers=16", "job.sequence=512", "job.global_batch=128"};
  auto reduction = [&](const Sets& sets) {
    Scenario s = llama(layout + sets);
    s.calibration.contention.clear();
    planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
    planner::Pipelined pipeline = planner::make_pipelined(s, c);
    planner::make_step(s, c, pipeline);
    const planner::StageTime& t = c.classes[pipeline.stage_class].sums.time;
    const double send = operator_models::cost(c.workload.boundary, planner::device_of(s)).seconds.value;
    for (const planner::CostedOp& op : c.classes[pipeline.stage_class].step_ops)
      if (op.work->name == "data.all-reduce") {
        // What sticks out if `sends` of them take the NICs in the backward pass.
        const auto beside = [&](double sends) {
          return exposed_seconds(t.backward.total() - sends * send, op.cost.seconds.value, 1);
        };
        return std::tuple{op.exposed, beside(0), beside(1)};
      }
    return std::tuple{0.0, 0.0, 0.0};
  };
  const auto [together, alone, beside] = reduction({});
  REQUIRE(beside > alone);
  CHECK(near(together, beside));
  const auto [blocking, alone_again, unused] = reduction({"software.overlap.pipeline=false"});
  CHECK(near(blocking, alone_again));  // the pipeline's own time holds those sends
  const auto [inside, apart, other] = reduction({"parallelism.order=pp-tp-cp-ep-dp"});
  REQUIRE(other > apart);
  CHECK(near(inside, apart));  // sends on NVLink, the reduction between nodes
}
