// Context parallelism: what a rank computes, keeps and sends.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/plan/plan.h"
#include "planner/workload/check_graph.h"
#include "planner/workload/cost.h"
#include "planner/workload/passes/passes.h"
#include "tests/planner/sample.h"

namespace {

using namespace planner;
using operator_models::Attention;
using operator_models::Collective;
using operator_models::Gemm;

Scenario llama(const std::string& parallelism) {
  return sample::scenario(
      "model: {use: llama3-8b}\njob: {sequence: 32768, global_batch: 32}\ncluster: {use: dgx-h100, gpus: 32}\n"
      "software: {use: megatron-core}\nparallelism: {" +
      parallelism + "}\n");
}

double layer_flops(const Scenario& s) {
  CostedWorkload c = cost_workload(s, build_workload(s));
  double sum = 0;
  for (const CostedOp& op : c.blocks[1].ops) {
    const auto& o = op.work->op;
    if (std::holds_alternative<Gemm>(o) || std::holds_alternative<Attention>(o)) sum += op.work->count * op.cost.flops;
  }
  return sum;
}

double bytes_of(const Workload& w, const char* name, StepPhase phase) {
  return sample::collective(sample::only(w.layer().ops, name, phase)).bytes.value;
}

bool has_rule(const Scenario& s, const std::string& rule) {
  for (const Violation& v : make_plan(s).violations)
    if (v.rule == rule) return true;
  return false;
}

TEST_CASE("the ranks of a context group share the FLOPs of a sequence evenly") {
  const double whole = layer_flops(llama("tp: 1, cp: 1"));
  for (int64_t cp : {2, 4, 8}) {
    const double ring = layer_flops(llama("tp: 1, cp: " + std::to_string(cp)));
    CHECK(ring * static_cast<double>(cp) == doctest::Approx(whole).epsilon(0.02));  // a whole sequence has its diagonal
  }
}

TEST_CASE("without balance the last rank has most of causal attention: (2 cp - 1) / cp of the mean") {
  const auto attention = [](const Scenario& s) {
    const Workload w = sample::workload(s);
    for (const auto& op : w.layer().ops)
      if (const auto* a = std::get_if<Attention>(&op.op); a && !a->backward)
        return static_cast<double>(a->queries) * static_cast<double>(a->keys);
    return 0.0;
  };
  for (int64_t cp : {2, 4, 8}) {
    Scenario s = llama("tp: 1, cp: " + std::to_string(cp));
    const double mean = attention(s), step = make_plan(s).step->seconds;
    s.software.balanced_context = false;
    const double n = static_cast<double>(cp);
    CHECK(attention(s) == doctest::Approx(mean * (2 * n - 1) / n));
    CHECK(make_plan(s).step->seconds > step);
  }
  // The ranks' pieces sum up to the whole sequence's keys, through a window too; here by counting.
  for (int64_t window : {0, 1000, 20000}) {
    Scenario s = llama("tp: 1, cp: 4");
    s.software.balanced_context = false;
    if (window > 0) s.model.window.size = window;
    const int64_t length = s.job.sequence, piece = length / 4, sees = window > 0 ? window : length;
    double counted = 0;
    for (int64_t q = length - piece; q < length; ++q) counted += static_cast<double>(std::min(q, sees));
    const Workload w = sample::workload(s);
    for (const auto& op : w.layer().ops)
      if (const auto* a = std::get_if<Attention>(&op.op); a && !a->backward) {
        const double keys = window > 0 ? 2.0 * static_cast<double>(a->window) : static_cast<double>(a->keys);
        CHECK(op.count * static_cast<double>(a->queries) * keys == doctest::Approx(counted).epsilon(0.01));
      }
  }
}

TEST_CASE("a step of the ring is a kernel, and what it made joins what the others did") {
  for (int64_t cp : {2, 8}) {
    const Workload w = sample::workload(llama("tp: 1, cp: " + std::to_string(cp)));
    const double n = 32768.0 / static_cast<double>(cp), joined = 0.75 * n;  // of half the steps the later half
    for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
      const WorkOp& kernel = sample::only(w.layer().ops, "attention.fused", phase);
      CHECK(kernel.count == static_cast<double>(cp));
      CHECK(std::get<Attention>(kernel.op).queries == static_cast<int64_t>(n));
      CHECK(std::get<Attention>(kernel.op).keys == static_cast<int64_t>(n / 2));
      const WorkOp& join = sample::only(w.layer().ops, "attention.join-steps", phase);
      CHECK(join.count == static_cast<double>(cp - 1));
      // 32 heads of 128 of the context; of the gradients those of 8 heads of keys and 8 of values too
      const double width = (phase == StepPhase::forward ? 32 : 48) * 128;
      const auto& vector = std::get<operator_models::Vector>(join.op);
      CHECK(vector.read.value + vector.written.value == 6 * joined * width);
    }
  }
}

TEST_CASE("short pieces make a ring slower than one kernel of as many pairs") {
  const auto attention_seconds = [](const Scenario& s) {
    const CostedWorkload c = cost_workload(s, build_workload(s));
    double sum = 0;
    for (const CostedOp& op : c.blocks[1].ops)
      if (op.work->role == Role::fused_attention) sum += op.work->count * op.cost.seconds.value;
    return sum;
  };
  double ratio = 1;
  for (int64_t sequence : {262144, 32768, 8192}) {
    Scenario one = llama("tp: 1, cp: 1"), four = llama("tp: 1, cp: 4");
    one.job.sequence = four.job.sequence = sequence;
    const double now = 4 * attention_seconds(four) / attention_seconds(one);
    CHECK(now > ratio);
    ratio = now;
  }
}

TEST_CASE("only a balanced ring needs two pieces a rank") {
  Scenario s = llama("tp: 1, cp: 4");
  s.job.sequence = 32764;
  CHECK(has_rule(s, "context"));
  s.software.balanced_context = false;
  CHECK(!has_rule(s, "context"));
}

TEST_CASE("an exchange of heads leaves the FLOPs of attention as they are") {
  Scenario s = llama("tp: 1, cp: 4");
  const double ring = layer_flops(s);
  s.software.context = Context::all_to_all;
  CHECK(layer_flops(s) == doctest::Approx(ring).epsilon(0.02));
}

TEST_CASE("saved activations and the logits shrink with the pieces, weights stay") {
  const Workload one = build_workload(llama("tp: 2, cp: 1, sequence_parallel: true"));
  const Workload four = build_workload(llama("tp: 2, cp: 4, sequence_parallel: true"));
  CHECK(four.layer().saved_bytes() == doctest::Approx(one.layer().saved_bytes() / 4));
  CHECK(four.head().transient() == doctest::Approx(one.head().transient() / 4));
  CHECK(four.layer().parameters() == one.layer().parameters());
  CHECK(four.classes[0].held.sum() == one.classes[0].held.sum());
}

TEST_CASE("an exchange of heads keeps the context before and after it") {
  Scenario s = llama("tp: 1, cp: 4");
  const double ring = build_workload(s).layer().saved_bytes();
  s.software.context = Context::all_to_all;
  CHECK(build_workload(s).layer().saved_bytes() - ring == 2.0 * 32768 / 4 * 4096);
}

TEST_CASE("the ring carries keys and values once forward and twice backward, a tensor rank its own heads") {
  for (int64_t tp : {1, 2}) {
    const Workload w = build_workload(llama("tp: " + std::to_string(tp) + ", cp: 4"));
    // bytes: K and V, 2 B, 32768 tokens, 8 heads of 128, over the tensor ranks
    const double bytes = 2.0 * 2 * 32768 * 8 * 128 / static_cast<double>(tp);
    CHECK(bytes_of(w, "attention.ring", StepPhase::forward) == bytes);
    CHECK(bytes_of(w, "attention.ring", StepPhase::backward) == bytes);
    CHECK(bytes_of(w, "attention.ring-gradients", StepPhase::backward) == bytes);
  }
}

TEST_CASE("the ring hides under the attention of its phase") {
  for (const char* layout :
       {"tp: 1, cp: 4", "tp: 4, cp: 2, sequence_parallel: true", "tp: 2, cp: 2, recompute: full"}) {
    const Workload w = build_workload(llama(layout));
    for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
      const WorkOp ring = sample::only(w.layer().ops, "attention.ring", phase);
      REQUIRE(ring.cover >= 0);
      const WorkOp& cover = w.layer().ops[static_cast<size_t>(ring.cover)];
      CHECK(cover.name == "attention.fused");
      CHECK(cover.phase == phase);
    }
  }
}

TEST_CASE("an exchange moves queries and context whole, keys and values by their heads") {
  Scenario s = llama("tp: 1, cp: 4");
  s.software.context = Context::all_to_all;
  const Workload w = build_workload(s);
  const double token = 2.0 * 32768 / 4 * 128;  // bytes per head
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    CHECK(bytes_of(w, "attention.exchange-query", phase) == token * 32);
    CHECK(bytes_of(w, "attention.exchange-key", phase) == token * 8);
    CHECK(bytes_of(w, "attention.exchange-value", phase) == token * 8);
    CHECK(bytes_of(w, "attention.exchange-context", phase) == token * 32);
  }
}

TEST_CASE("context ranks belong to the group that reduces gradients") {
  const Plan plan = make_plan(llama("tp: 2, cp: 4, zero: 1"));
  REQUIRE(plan.step);
  bool found = false;
  for (const CommunicationRow& row : plan.communication) {
    if (row.name != "data.reduce-scatter") continue;
    found = true;
    CHECK(row.ranks == 16);
  }
  CHECK(found);
}

TEST_CASE("kernels that follow from the weights do not shrink with the tokens") {
  Scenario one = llama("tp: 1, cp: 1"), four = llama("tp: 1, cp: 4");
  one.software.fusion.gradient = four.software.fusion.gradient = false;
  auto elements = [](const Scenario& scenario) {
    const Workload w = build_workload(scenario);
    const WorkOp op = sample::only(w.layer().ops, "mlp.fc1.add-gradient", StepPhase::backward);
    return std::get<operator_models::Vector>(op.op).elements;
  };
  CHECK(elements(one) == elements(four));
}

TEST_CASE("what a context group cannot do is a violation") {
  CHECK(!has_rule(llama("tp: 1, cp: 4"), "context"));
  Scenario odd = llama("tp: 1, cp: 4");
  odd.job.sequence = 32764;
  CHECK(has_rule(odd, "context"));
  Scenario unfused = llama("tp: 1, cp: 4");
  unfused.software.attention = "unfused";
  CHECK(has_rule(unfused, "unsupported"));
  Scenario heads = llama("tp: 8, cp: 4");
  heads.software.context = Context::all_to_all;
  heads.model.heads = 24;
  heads.model.kv_heads = 8;
  CHECK(has_rule(heads, "context"));
}

TEST_CASE("long sequences gain from context parallelism where the memory of one rank would not do") {
  const Plan one = make_plan(llama("tp: 1, cp: 1, zero: 1"));
  const Plan eight = make_plan(llama("tp: 1, cp: 8, zero: 1"));
  REQUIRE(one.memory);
  REQUIRE(eight.memory);
  CHECK(eight.memory->device.peak_bytes < one.memory->device.peak_bytes);
}

TEST_CASE("heads exchanged among neighbours, a ring of the rest: both ends are the mechanisms alone") {
  const auto made = [](const char* context, int64_t inner) {
    Scenario s = llama("tp: 1, cp: 8");
    s.software.context = context == std::string("ring")         ? Context::ring
                         : context == std::string("all-to-all") ? Context::all_to_all
                                                                : Context::all_to_all_ring;
    s.parallelism.cp_inner = inner;
    return s;
  };
  const auto same = [](const Scenario& a, const Scenario& b) {
    CHECK(make_plan(a).step->seconds == make_plan(b).step->seconds);
    CHECK(sample::workload(a).layer().saved_bytes() == sample::workload(b).layer().saved_bytes());
    CHECK(sample::workload(a).layer().ops.size() == sample::workload(b).layer().ops.size());
  };
  same(made("both", 1), made("ring", 0));
  same(made("both", 8), made("all-to-all", 0));
  const double whole = layer_flops(llama("tp: 1, cp: 1"));
  for (int64_t inner : {1, 2, 4, 8}) {
    CAPTURE(inner);
    const Scenario s = made("both", inner);
    CHECK(8 * layer_flops(s) == doctest::Approx(whole).epsilon(0.02));
    CHECK(planner::graph_faults(sample::workload(s)).empty());
  }
}

TEST_CASE("of heads and a ring: tokens, heads, steps, bytes and groups by hand") {
  Scenario s = llama("tp: 2, cp: 8");
  s.software.context = Context::all_to_all_ring;
  s.parallelism.cp_inner = 4;
  const Workload w = sample::workload(s);
  const double piece = 32768.0 / 8;
  const auto heads = sample::collective(sample::only(w.layer().ops, "attention.exchange-query"));
  CHECK(heads.bytes.value == 2 * piece * 32 / 2 * 128);
  CHECK(heads.group.ranks == 4);
  CHECK(heads.group.inside.front() == 4);  // in the node, beside two tensor ranks
  const auto ring = sample::collective(sample::only(w.layer().ops, "attention.ring"));
  CHECK(ring.bytes.value == 2 * 32768.0 * (8 / 4) * 256 / 2);
  CHECK(ring.group.ranks == 2);
  CHECK(ring.group.inside.front() == 1);  // across nodes
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const WorkOp& kernel = sample::only(w.layer().ops, "attention.fused", phase);
    const auto& attention = std::get<Attention>(kernel.op);
    CHECK(kernel.count == 2);
    CHECK(attention.heads == 32 / 4 / 2);
    CHECK(attention.queries == 32768 / 2);
    CHECK(sample::only(w.layer().ops, "attention.join-steps", phase).count == 1);
  }
}

TEST_CASE("context ranks of both kinds: what must divide") {
  const auto broken = [](const char* parallelism, Context context) {
    Scenario s = llama(parallelism);
    s.software.context = context;
    return has_rule(s, "context");
  };
  CHECK_FALSE(broken("tp: 1, cp: 8, cp_inner: 4", Context::all_to_all_ring));
  CHECK(broken("tp: 1, cp: 8", Context::all_to_all_ring));
  CHECK(broken("tp: 1, cp: 8, cp_inner: 3", Context::all_to_all_ring));
  CHECK(broken("tp: 1, cp: 8, cp_inner: 4", Context::ring));
  CHECK(broken("tp: 1, cp: 8, cp_inner: 4", Context::all_to_all));
  CHECK_FALSE(broken("tp: 4, cp: 8, cp_inner: 8", Context::all_to_all_ring));
  CHECK(broken("tp: 8, cp: 4, cp_inner: 8", Context::all_to_all_ring));
}

}  // namespace

TEST_CASE("a ring hides under all steps of its attention, not under one of them") {
  Scenario s = llama("tp: 1, cp: 4");
  s.job.sequence = 8192;
  const CostedWorkload costed = cost_workload(s, build_workload(s));
  const auto seconds = [&](const auto& name) {
    for (const CostedOp& op : costed.blocks[1].ops)
      if (op.work->name == name && op.work->phase == StepPhase::forward)
        return std::pair(op.work->count * op.cost.seconds.value, op.work->count * op.exposed);
    return std::pair(0.0, 0.0);
  };
  const auto [ring, exposed] = seconds("attention.ring");
  REQUIRE(ring > seconds("attention.fused").first / 4);
  REQUIRE(ring < seconds("attention.fused").first);
  CHECK(exposed < 0.3 * ring);  // what contention takes
}
