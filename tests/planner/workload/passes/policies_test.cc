// Recompute policies by hand: what each keeps of a layer, and which products, kernels and collectives run again.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/planner/sample.h"

using planner::Scenario;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

// The LLaMA of sample.h: tokens, width, MLP width, heads; K and V together are half as wide as Q.
constexpr double kTokens = 2048, kHidden = 1024, kFfn = 2816, kHeads = 16;

Sets policy(const char* name, const Sets& more = {}) {
  return Sets{std::string("software.selective=") + name, "parallelism.recompute=selective"} + more;
}

double matrix_flops(const WorkOp& op) {
  if (const auto* a = std::get_if<operator_models::Attention>(&op.op))
    return 4.0 * op.count * static_cast<double>(a->batch * a->heads * a->head_dim) * static_cast<double>(a->queries) *
           static_cast<double>(a->keys);
  return sample::gemm_flops(op);
}
std::vector<WorkOp> layer_ops(const Scenario& s) { return sample::workload(s).layer().ops; }
double again(const Scenario& s) {
  double flops = 0;
  for (const WorkOp& op : layer_ops(s))
    if (op.phase == StepPhase::recompute) flops += matrix_flops(op);
  return flops;
}
double collectives(const Scenario& s, StepPhase phase) {
  double n = 0;
  for (const WorkOp& op : layer_ops(s))
    if (op.phase == phase && std::holds_alternative<operator_models::Collective>(op.op)) n += op.count;
  return n;
}
double saved(const Scenario& s) { return sample::workload(s).layer().saved_bytes(); }

std::set<std::string> repeated(const Scenario& s) {
  std::set<std::string> names;
  for (const WorkOp& op : layer_ops(s))
    if (op.phase == StepPhase::recompute) names.insert(op.name);
  return names;
}
using Names = std::set<std::string>;

struct Policy {
  const char* name;
  double bytes;       // kept of a layer
  double flops;       // of matrices, run again
  double reductions;  // all-reduces of two that run again under tensor parallelism
};
const double kAll = kTokens * (13 * kHidden + 6 * kFfn + 4 * kHeads);  // nothing dropped
const double kAttention = 4 * kTokens * kTokens * kHidden, kFc1 = 2 * kTokens * kHidden * 2 * kFfn,
             kFc2 = 2 * kTokens * kFfn * kHidden, kProjection = 2 * kTokens * kHidden * kHidden, kKey = kProjection / 4,
             kQkv = kProjection * 1.5;
const Policy kPolicies[] = {
    {"core-attention", kAll, 0, 0},
    {"every-second-layer", kAll / 2 + kTokens* kHidden, (kQkv + kAttention + kProjection + kFc1 + kFc2) / 2, 1},
    // Input and w2's result 4, Q 2, V 1/2, context 2, half of the hidden 2f, log-sum-exp; wk, wo and w3 run again.
    {"every-second-matmul", kTokens*(8.5 * kHidden + 2 * kFfn + 4 * kHeads), kKey + kProjection + kFc1 / 2, 1},
    {"mlp-and-norm", kAll - kTokens*(2 * kFfn + 4 * kHidden), 0, 0},
    // Input 2, Q 2, K and V 1.
    {"all-but-qkv", kTokens* kHidden*(2 + 2 + 1), kAttention + kProjection + kFc1 + kFc2, 2},
    // Input, Q, context, the results of wo and w2 2 each, K and V 1, both halves of the hidden 2f each, log-sum-exp.
    {"all-but-products", kTokens*(11 * kHidden + 4 * kFfn + 4 * kHeads), 0, 0},
};

}  // namespace

TEST_CASE("each policy keeps and repeats what is written on it, Q, K and V fused or apart") {
  for (const Policy& p : kPolicies)
    for (const char* fused : {"true", "false"}) {
      CAPTURE(p.name);
      const Scenario s = llama(policy(p.name, {std::string("software.fusion.qkv=") + fused}));
      CHECK(near(saved(s), p.bytes));
      CHECK(near(again(s), p.flops));
    }
}

TEST_CASE("with sequence parallelism all of it is divided, and the policies repeat their share of collectives") {
  for (const Policy& p : kPolicies)
    for (double t : {2.0, 4.0}) {
      CAPTURE(p.name);
      const Sets layout{"parallelism.tp=" + std::to_string(static_cast<int>(t))};
      const Scenario whole = llama(policy(p.name, layout)),
                     split = llama(policy(p.name, layout + Sets{"parallelism.sequence_parallel=true"}));
      CHECK(near(saved(split), p.bytes / t));
      CHECK(near(again(split), p.flops / t));
      CHECK(near(again(whole), p.flops / t));
      CHECK(collectives(whole, StepPhase::recompute) == p.reductions);
      CHECK(collectives(whole, StepPhase::forward) == 2);
      if (p.name != std::string("all-but-qkv")) CHECK(collectives(split, StepPhase::recompute) == 2 * p.reductions);
    }
}

TEST_CASE("the core of unfused attention: scores, softmax, dropout and values, nothing else") {
  const Scenario s = gpt(policy("core-attention"));
  CHECK(repeated(s) == Names{"attention.score", "attention.softmax", "attention.dropout", "attention.context"});
  CHECK(saved(s) == 34.0 * 1024 * 1024);
  CHECK(again(s) == 4.0 * 1024 * 1024 * 1024);
  const Scenario apart = gpt(policy("core-attention", {"software.fusion.softmax=false", "model.dropout=0"}));
  CHECK(repeated(apart) ==
        Names{"attention.score", "attention.scale", "attention.mask", "attention.softmax", "attention.context"});
}

TEST_CASE("MLP and norm: both norms and the activation, and what they write is dropped") {
  CHECK(repeated(llama(policy("mlp-and-norm"))) == Names{"attention.norm", "mlp.norm", "mlp.activation"});
  const Sets apart{"software.fusion.bias_activation=false"};
  const double dropped = saved(llama(apart)) - saved(llama(policy("mlp-and-norm", apart)));
  CHECK(dropped == kTokens * (4 * kFfn + 4 * kHidden));  // SiLU's result, the product, what two norms write
  CHECK(repeated(llama(policy("mlp-and-norm", apart))) ==
        Names{"attention.norm", "mlp.norm", "mlp.activation", "mlp.gate"});
  CHECK(repeated(gpt(policy("mlp-and-norm", {"model.parallel_block=true"}))) ==
        Names{"attention.norm", "mlp.activation"});
}

TEST_CASE("all but QKV repeats every other forward operator exactly once") {
  for (const char* fused : {"true", "false"}) {
    const Scenario s = llama(policy("all-but-qkv", {std::string("software.fusion.qkv=") + fused}));
    const Names again_names = repeated(s), projections{"attention.qkv", "attention.q", "attention.k", "attention.v"};
    for (const WorkOp& op : layer_ops(s)) {
      if (op.phase == StepPhase::forward) CHECK(again_names.contains(op.name) == !projections.contains(op.name));
      if (op.phase == StepPhase::recompute) CHECK(op.count == 1);
    }
  }
}

TEST_CASE("full recompute repeats the whole forward pass and keeps one input per k layers") {
  for (double every : {1.0, 2.0, 4.0}) {
    const Scenario s =
        llama({"parallelism.recompute=full", "parallelism.recompute_every=" + std::to_string(static_cast<int>(every))});
    CHECK(near(saved(s), 2 * kTokens * kHidden / every));
    CHECK(near(again(s), kQkv + kAttention + kProjection + kFc1 + kFc2));
    CHECK(near(sample::workload(s).layer().recompute_working_set, kAll - 2 * kTokens * kHidden));
  }
}

TEST_CASE("the seconds of recompute follow its policy: none, some kernels, half, all") {
  const auto part = [](const Sets& sets) {
    const planner::Plan p = sample::plan(llama(Sets{"parallelism.microbatch=2"} + sets));
    return std::pair{p.breakdown->recompute, p.memory->stages.front().activations};
  };
  const auto [none, all_bytes] = part({});
  const auto [cheap, cheap_bytes] = part(policy("mlp-and-norm"));
  const auto [half, half_bytes] = part(policy("every-second-layer"));
  const auto [most, most_bytes] = part(policy("all-but-qkv"));
  const auto [full, full_bytes] = part({"parallelism.recompute=full"});
  CHECK(none == 0);
  CHECK(cheap > 0);
  CHECK(cheap < half);
  CHECK(near(half, full / 2));
  CHECK(half < most);
  CHECK(most < full);
  CHECK(all_bytes > cheap_bytes);
  CHECK(cheap_bytes > half_bytes);
  CHECK(half_bytes > most_bytes);
  CHECK(most_bytes > full_bytes);
}

TEST_CASE("recompute never touches embedding and head") {
  for (const Policy& p : kPolicies) {
    const Workload none = sample::workload(llama()), some = sample::workload(llama(policy(p.name)));
    CHECK(none.embedding().saved_bytes() == some.embedding().saved_bytes());
    CHECK(none.head().saved_bytes() == some.head().saved_bytes());
    CHECK(none.embedding().ops.size() == some.embedding().ops.size());
    CHECK(none.head().ops.size() == some.head().ops.size());
  }
}

TEST_CASE("no policy casts a narrow weight again: the cast copy is kept for the step") {
  for (const char* name : {"core-attention", "every-second-layer", "every-second-matmul", "mlp-and-norm", "all-but-qkv",
                           "all-but-products"}) {
    const Workload w = sample::workload(llama(policy(name, {"cluster={use: dgx-h100, gpus: 8}", "job.precision=fp8"})));
    for (const WorkOp& op : w.layer().ops)
      if (op.phase == StepPhase::recompute) CHECK_MESSAGE(!op.name.str().ends_with(".cast-weight"), name, " ", op.name);
  }
}

TEST_CASE("a repetition that stops leaves out what comes behind the last tensor that backward reads") {
  const Sets stops{"software.recompute_stops=true"};
  const auto lost = [](const Scenario& whole, const Scenario& stopped) {
    const Names all = repeated(whole), some = repeated(stopped);
    Names missing;
    std::ranges::set_difference(all, some, std::inserter(missing, missing.end()));
    return missing;
  };
  const Names tail{"mlp.fc2", "mlp.dropout-add"};
  for (const Sets& again_all : {Sets{"parallelism.recompute=full"}, policy("all-but-qkv")}) {
    CHECK(lost(llama(again_all), llama(again_all + stops)) == tail);
    CHECK(near(again(llama(again_all)) - again(llama(again_all + stops)), kFc2));
    CHECK(saved(llama(again_all)) == saved(llama(again_all + stops)));
    const Sets split = again_all + Sets{"parallelism.tp=4"};  // the reduction of fc2 is not repeated either
    CHECK(collectives(llama(split), StepPhase::recompute) - collectives(llama(split + stops), StepPhase::recompute) ==
          1);
  }
  // Backward reads what the second matrix writes: a dropout mask, the input of a norm, the output of a side by side
  // MLP.
  for (const char* reads : {"model.dropout=0.1", "model.post_norm=true", "model.parallel_block=true"}) {
    const Sets layer{"parallelism.recompute=full", reads};
    CHECK_MESSAGE(lost(llama(layer), llama(layer + stops)).empty(), reads);
  }
}
