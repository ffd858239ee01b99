// Prediction layers (DeepSeek-V3, arXiv:2412.19437, section 2.2), what recompute does in them and in layers with
// experts, and schedules that split the backward pass in a whole plan.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "planner/workload/partition.h"
#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using planner::BlockKind;
using planner::StepPhase;
using sample::llama;
using sample::near;
using sample::only;
using sample::operator+;

namespace {

using Names = std::set<std::string>;

const Block& prediction(const Workload& w) { return w.blocks[w.blocks.size() - 2]; }
double flops(const Block& block, StepPhase phase) {
  double sum = 0;
  for (const WorkOp& op : block.ops) sum += op.phase == phase ? sample::gemm_flops(op) : 0;
  return sum;
}
Names repeated(const Block& block) {
  Names names;
  for (const WorkOp& op : block.ops)
    if (op.phase == StepPhase::recompute) names.insert(op.name);
  return names;
}
double saved(const Block& block, const char* name) {
  for (const planner::Saved& s : block.saved)
    if (s.name.str() == name) return s.bytes;
  return 0;
}
Sets policy(const char* name) { return {"parallelism.recompute=selective", std::string("software.selective=") + name}; }

}  // namespace

TEST_CASE("a prediction layer is a layer, a projection of two streams and the head once more") {
  for (const Sets& more : {Sets{}, Sets{"parallelism.tp=4", "parallelism.sequence_parallel=true"},
                           Sets{"parallelism.cp=4"}, Sets{"parallelism.ep=8"}}) {
    const Workload w = sample::workload(mixture(Sets{"model.mtp=1"} + more));
    const auto p = mixture(more).parallelism;
    REQUIRE(prediction(w).kind == BlockKind::prediction);
    const double join = 2 * kTokens * 2 * kHidden * kHidden / static_cast<double>(p.tp * p.cp);
    for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
      const double times = phase == StepPhase::forward ? 1 : 2;
      CHECK(near(flops(prediction(w), phase), times * join + flops(expert_layer(w), phase) + flops(w.head(), phase),
                 1e-12));
    }
  }
}

TEST_CASE("its weights: a layer, the projection and three norms; embedding and head are the model's") {
  const Workload w = sample::workload(mixture({"model.mtp=1"}));
  const double own = 2 * kHidden * kHidden + 3 * kHidden;
  CHECK(prediction(w).parameters(true) == expert_layer(w).parameters() + own);
  CHECK(w.classes.front().held.sum() ==
        sample::workload(mixture()).classes.front().held.sum() + expert_layer(w).parameters() + own);
}

TEST_CASE("behind other stages it holds the embedding a second time, and sums its gradient with the first stage") {
  const Sets pipeline{"parallelism.pp=2", "parallelism.stages=[2, 2]"};
  for (const char* tied : {"true", "false"}) {
    const Sets ends = pipeline + Sets{std::string("model.tied_embeddings=") + tied};
    const Workload with = sample::workload(mixture(Sets{"model.mtp=1"} + ends)), none = sample::workload(mixture(ends));
    const double more = with.classes.back().held.sum() - none.classes.back().held.sum();
    const double copy = tied == std::string("true") ? 0 : 32000 * kHidden;  // the head's matrix is that copy
    CHECK(more == expert_layer(with).parameters() + 2 * kHidden * kHidden + 3 * kHidden + copy);
    for (const planner::StageClass& stage : with.classes)
      CHECK(sample::collective(only(stage.step_ops, "embedding.all-reduce", StepPhase::backward)).bytes.value ==
            4 * 32000 * kHidden);
  }
}

TEST_CASE("by default the last part has fewer layers: published layouts of DeepSeek-V3's 61") {
  using Layers = std::vector<int64_t>;
  auto layers = [](int64_t parts) {
    Scenario s = mixture({"model.mtp=1"});
    s.model.layers = 61;
    s.parallelism.pp = parts;
    return planner::layers_per_part(s);
  };
  CHECK(layers(4) == Layers{16, 16, 16, 13});
  CHECK(layers(8) == Layers{8, 8, 8, 8, 8, 8, 8, 5});
  Layers sixteen(16, 4), thirty_two(32, 2);
  sixteen.back() = 1;
  thirty_two.front() = 1, thirty_two.back() = 0;
  CHECK(layers(16) == sixteen);
  CHECK(layers(32) == thirty_two);
  for (int64_t parts = 2; parts <= 64; ++parts) {
    const Layers dealt = layers(parts);
    CHECK(std::accumulate(dealt.begin(), dealt.end(), int64_t{0}) == 61);
    CHECK(*std::min_element(dealt.begin(), dealt.end()) >= 0);
  }
}

TEST_CASE("the model's FLOPs count it") {
  const planner::Model one = mixture({"model.mtp=1"}).model, none = mixture().model;
  const double expert = kHidden * kExperts + 3 * kHidden * 512 * (kTopK + 1), d = 64,
               attention = kHidden * (16 + 2 * 4) * d + 16 * d * kHidden;
  const double token = 2 * (attention + expert) + 4 * 16 * d * kTokens + 4 * kHidden * kHidden + 2 * kHidden * 32000;
  CHECK(
      near(planner::forward_flops(one, kTokens, kTokens, false) - planner::forward_flops(none, kTokens, kTokens, false),
           kTokens * token));
}

TEST_CASE("no policy runs the loss of a prediction layer again, or forgets the inputs of its head") {
  for (const char* name : {"full", "every-second-layer", "all-but-qkv", "every-second-matmul", "mlp-and-norm",
                           "core-attention", "all-but-products"}) {
    INFO(std::string(name));
    const Sets how = name == std::string("full") ? Sets{"parallelism.recompute=full"} : policy(name);
    const Workload w = sample::workload(llama(how + Sets{"model.mtp=1"})),
                   none = sample::workload(llama({"model.mtp=1"}));
    for (const std::string& again : repeated(prediction(w)))
      CHECK_MESSAGE((!again.starts_with("head.") && !again.starts_with("embedding.")), again);
    CHECK(saved(prediction(w), "head.input") == saved(prediction(none), "head.input"));
    CHECK(saved(prediction(w), "head.norm.input") == saved(prediction(none), "head.norm.input"));
  }
}

TEST_CASE("expert-activation: what enters the second matrix of routed experts is dropped and made again") {
  const Workload none = sample::workload(mixture()), some = sample::workload(mixture(policy("expert-activation")));
  const double dropped = 2 * kTokens * kTopK * 512;
  CHECK(expert_layer(none).saved_bytes() - expert_layer(some).saved_bytes() == dropped);
  CHECK(expert_layer(some).recompute_working_set == dropped);
  CHECK(repeated(expert_layer(some)) == Names{"experts.activation"});
  CHECK(repeated(some.layer()).empty());                      // the dense one
  const Sets apart{"software.fusion.bias_activation=false"};  // SiLU and the product with the gate are two kernels
  const Workload two = sample::workload(mixture(apart)),
                 again = sample::workload(mixture(apart + policy("expert-activation")));
  CHECK(expert_layer(two).saved_bytes() - expert_layer(again).saved_bytes() == 2 * dropped);
  CHECK(repeated(expert_layer(again)) == Names{"experts.activation", "experts.gate"});
}

TEST_CASE("full recompute of a layer with experts dispatches and combines once more") {
  const Sets layout{"parallelism.ep=8", "parallelism.recompute=full"};
  const Workload w = sample::workload(mixture(layout));
  CHECK(flops(expert_layer(w), StepPhase::recompute) == flops(expert_layer(w), StepPhase::forward));
  CHECK(repeated(expert_layer(w)).contains("experts.dispatch"));
  CHECK(repeated(expert_layer(w)).contains("experts.combine"));
  CHECK(expert_layer(w).saved_bytes() == 2 * kTokens * kHidden);
}

TEST_CASE("mlp-and-norm drops what enters the second matrix, of routed and of shared experts, and what norms write") {
  const Workload none = sample::workload(mixture()), some = sample::workload(mixture(policy("mlp-and-norm")));
  CHECK(expert_layer(none).saved_bytes() - expert_layer(some).saved_bytes() ==
        2 * kTokens * (512 * (kTopK + 1) + 2 * kHidden));
  CHECK(repeated(expert_layer(some)) == Names{"attention.norm", "mlp.norm", "experts.activation", "shared.activation"});
}

TEST_CASE("zb-h1 in a whole plan: less bubble than 1f1b, the same work, and as much memory on the first stage") {
  const Sets base{"parallelism.pp=8", "model.layers=16", "cluster.gpus=16", "software.overlap.pipeline=true"};
  const Sets nothing_under_weights{"parallelism.tp=2", "software.overlap.tensor_backward=false"};
  for (const Sets& more : {Sets{}, nothing_under_weights, Sets{"parallelism.recompute=full"}}) {
    const Sets one = base + more;
    const planner::Plan plain = sample::plan(llama(one + Sets{"parallelism.schedule=1f1b"})),
                        split = sample::plan(llama(one + Sets{"parallelism.schedule=zb-h1"}));
    CHECK(split.breakdown->bubble < plain.breakdown->bubble);
    CHECK(split.step->seconds < plain.step->seconds);
    CHECK(split.memory->stages.front().activations == plain.memory->stages.front().activations);
    CHECK(split.memory->stages.back().activations > plain.memory->stages.back().activations);
    CHECK(near(split.throughput->hfu * split.step->seconds, plain.throughput->hfu * plain.step->seconds));
    CHECK(split.throughput->model_flops_per_step == plain.throughput->model_flops_per_step);
  }
}

TEST_CASE("a reduction that hides under weight gradients is seen where these run by themselves") {
  const Sets base{"parallelism.pp=8", "model.layers=16", "cluster.gpus=16", "parallelism.tp=2"};
  const auto exposed = [&](const char* schedule, const char* under_weights) {
    const std::string path = "software.overlap.tensor_backward=";
    return sample::plan(llama(base + Sets{std::string("parallelism.schedule=") + schedule, path + under_weights}))
        .breakdown->exposed_comm;
  };
  CHECK(exposed("1f1b", "true") < exposed("zb-h1", "true"));
}

TEST_CASE("a step ends when the last stage is done, with what it does once a step") {
  // The host updates the states of the tied embedding, and stage 0 has most of them: however fast the kernels are.
  const Sets base{"parallelism.pp=4", "parallelism.schedule=zb-h1", "parallelism.offload.optimizer=1",
                  "model.vocab=256000"};
  double last = std::numeric_limits<double>::infinity();
  for (const char* speedup : {"1", "2", "4", "8", "16", "32", "64"}) {
    const planner::Plan plan = sample::plan(llama(base + Sets{std::string("cluster.gpu.speedup=") + speedup}));
    CHECK(plan.step->seconds <= last);
    last = plan.step->seconds;
    double slowest = 0;  // of the updates on the host
    for (const planner::StageMemory& stage : plan.memory->stages) slowest = std::max(slowest, stage.host);
    CHECK(plan.step->seconds > slowest / 400e9);  // no host memory is faster
  }
}

TEST_CASE("what a split stage does apart are its weight gradients, and no second of it is lost") {
  for (const Scenario& s :
       {llama({"parallelism.pp=4", "parallelism.schedule=zb-h1"}),
        mixture({"parallelism.pp=4", "parallelism.ep=4", "parallelism.schedule=zb-h1", "software.experts.wait=0 s"})}) {
    Scenario whole = s;
    whole.parallelism.schedule = "1f1b";
    const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
    const planner::CostedWorkload unsplit = planner::cost_workload(whole, sample::workload(whole));
    const planner::PipelineShape parts = planner::pipeline_shape(s, c),
                                 joined = planner::pipeline_shape(whole, unsplit);
    for (size_t i = 0; i < parts.times.size(); ++i) {
      CHECK(parts.times[i].forward == joined.times[i].forward);
      CHECK(near(parts.times[i].backward + parts.times[i].weight_gradient, joined.times[i].backward));
      CHECK(parts.times[i].weight_gradient > 0);
      CHECK(parts.times[i].weight_gradient < joined.times[i].backward);
    }
  }
}
