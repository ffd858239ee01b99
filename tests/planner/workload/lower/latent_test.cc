// Multi-head latent attention against the formulas of its paper (DeepSeek-V2, arXiv:2405.04434, section 2.1 and
// appendix C), written down again here; what it keeps, sends and runs again.
#include <doctest/doctest.h>

#include <set>

#include "tests/planner/sample.h"
#include "tests/planner/scenario/catalogue_model.h"

using operator_models::Attention;
using planner::Block;
using planner::Scenario;
using planner::Split;
using planner::StepPhase;
using planner::Weight;
using planner::Workload;
using planner::WorkOp;
using sample::near;
using sample::only;
using sample::operator+;
using sample::Sets;

namespace {

/// The paper's names: d hidden, n_h heads, d_h of a head without its rotary part d_h^R, d_c and d_c' the latents.
struct Paper {
  double d, n_h, d_h, d_h_R, d_c, d_c_prime;
};
constexpr Paper kV2{5120, 128, 128, 64, 512, 1536};

// W^DQ, W^UQ, W^QR (equations 37 to 39), W^DKV, W^UK, W^UV, W^KR (41 to 45), W^O (47).
double matrices(const Paper& p) {
  const double query = p.d_c_prime * p.d + p.d_h * p.n_h * p.d_c_prime + p.d_h_R * p.n_h * p.d_c_prime;
  const double keys = p.d_c * p.d + p.d_h * p.n_h * p.d_c + p.d_h * p.n_h * p.d_c + p.d_h_R * p.d;
  return query + keys + p.d * p.d_h * p.n_h;
}
// Without W^DQ queries come from the input (DeepSeek-V2-Lite, section B.1).
double without_query_latent(const Paper& p) {
  return matrices(p) - p.d_c_prime * (p.d + (p.d_h + p.d_h_R) * p.n_h) + p.d * (p.d_h + p.d_h_R) * p.n_h;
}

/// A small one: latents of 128 and 256, heads of 64 + 32, values of 48.
constexpr Paper kSmall{1024, 16, 64, 32, 128, 256};
constexpr double kValue = 48, kTokens = 2048;
const Sets kLatent{"model.latent.rank=128", "model.latent.query_rank=256", "model.latent.rotary_dim=32",
                   "model.latent.value_dim=48"};
Scenario latent(const Sets& more = {}) { return sample::llama(kLatent + more); }

Scenario deepseek(const char* name) {
  return sample::scenario(std::string("model: {use: ") + name +
                          "}\njob: {sequence: 4096, global_batch: 8}\n"
                          "cluster: {use: dgx-h100, gpus: 1}\nsoftware: {use: megatron-core}\n");
}

double attention_weights(const Block& block) {
  double sum = 0;
  for (const Weight& w : block.weights)
    if (w.name.str().starts_with("attention.") && w.split != Split::none) sum += w.parameters;
  return sum;
}
double projection_flops(const Block& block, StepPhase phase) {
  double sum = 0;
  for (const WorkOp& op : block.ops)
    if (op.name.str().starts_with("attention.") && op.phase == phase) sum += sample::gemm_flops(op);
  return sum;
}
double saved(const Block& block, const std::string& name) {
  for (const planner::Saved& s : block.saved)
    if (s.name.str() == name) return s.bytes;
  return 0;
}
double bytes(const Scenario& s, const char* name, StepPhase phase = StepPhase::forward) {
  return sample::collective(only(sample::workload(s).layer().ops, name, phase)).bytes.value;
}

}  // namespace

TEST_CASE("the matrices of latent attention are those of the paper") {
  Paper v3 = kV2, lite{2048, 16, 128, 64, 512, 0};
  v3.d = 7168;
  CHECK(attention_weights(planner::lower(deepseek("deepseek-v2")).layer()) == matrices(kV2));
  CHECK(attention_weights(planner::lower(deepseek("deepseek-v3")).layer()) == matrices(v3));
  CHECK(attention_weights(planner::lower(deepseek("deepseek-v2-lite")).layer()) == without_query_latent(lite));
}

TEST_CASE("each matrix is met once forward and twice backward by every token, scores and values have their widths") {
  for (const char* name : {"deepseek-v2", "deepseek-v3"}) {
    const Scenario s = deepseek(name);
    Paper p = kV2;
    p.d = static_cast<double>(s.model.hidden);
    const Workload w = planner::lower(s);
    CHECK(projection_flops(w.layer(), StepPhase::forward) == 2 * 4096 * matrices(p));
    CHECK(projection_flops(w.layer(), StepPhase::backward) == 4 * 4096 * matrices(p));
    const auto a = std::get<Attention>(only(w.layer().ops, "attention.fused").op);
    CHECK(a.head_dim == p.d_h + p.d_h_R);
    CHECK(a.value_dim == p.d_h);
    CHECK(a.kv_heads == a.heads);
  }
}

TEST_CASE("model FLOPs of latent attention: 2 per weight and token, 2 per key and width of score and value") {
  const planner::Model v2 = sample::model_named("deepseek-v2");
  planner::Model other = v2;
  other.latent.rank = 0;
  other.latent.query_rank = 0;
  const double tokens = 8192, s = 4096;
  const double latent_layer = 2 * matrices(kV2) + 2 * 128 * (192 + 128) * s,
               ordinary_layer = 2 * 4.0 * 5120 * 128 * 128 + 2 * 128 * (128 + 128) * s;
  const double difference =
      planner::forward_flops(v2, tokens, s, false) - planner::forward_flops(other, tokens, s, false);
  CHECK(near(difference, 60 * tokens * (latent_layer - ordinary_layer)));
}

TEST_CASE("the whole of V2 has 236 and V3 671 billion parameters, of which 21 and 37 are active") {
  CHECK(near(planner::parameters(sample::model_named("deepseek-v2")), 236e9, 0.003));
  CHECK(near(planner::parameters(sample::model_named("deepseek-v3")), 671e9, 0.003));
  CHECK(near(planner::active_parameters(sample::model_named("deepseek-v2")), 21e9, 0.02));
  CHECK(near(planner::active_parameters(sample::model_named("deepseek-v3")), 37e9, 0.02));
}

TEST_CASE("queries and keys are kept with their rotary part, values and context in their own width") {
  const Block layer = sample::workload(latent()).layer();
  CHECK(saved(layer, "attention.query") == 2 * kTokens * 16 * (64 + 32));
  CHECK(saved(layer, "attention.key") == 2 * kTokens * 16 * (64 + 32));
  CHECK(saved(layer, "attention.value") == 2 * kTokens * 16 * kValue);
  CHECK(saved(layer, "attention.context") == 2 * kTokens * 16 * kValue);
  CHECK(saved(layer, "attention.q-norm.output") == 2 * kTokens * 256);
  CHECK(saved(layer, "attention.kv-norm.output") == 2 * kTokens * 128);
}

TEST_CASE("tensor ranks divide heads, and hold the down-projections whole") {
  const Sets tensor{"parallelism.tp=4", "parallelism.sequence_parallel=true"};
  const Workload one = sample::workload(latent()), four = sample::workload(latent(tensor));
  const Paper& p = kSmall;
  const double down = p.d * (p.d_c_prime + p.d_c + p.d_h_R);
  CHECK(attention_weights(four.layer()) == down + (attention_weights(one.layer()) - down) / 4);
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward})
    CHECK(projection_flops(four.layer(), phase) == projection_flops(one.layer(), phase) / 4);
  CHECK(near(four.layer().saved_bytes(), one.layer().saved_bytes() / 4));
  const Workload whole =
      sample::workload(latent({"parallelism.tp=4"}));  // every rank works on all tokens of the latents
  const double narrow = 2 * kTokens * down;
  CHECK(projection_flops(whole.layer(), StepPhase::forward) ==
        narrow + (projection_flops(one.layer(), StepPhase::forward) - narrow) / 4);
}

TEST_CASE("what is gathered before the up-projections are the latents") {
  const Scenario s = latent({"parallelism.tp=4", "parallelism.sequence_parallel=true"});
  CHECK(bytes(s, "attention.q-up.all-gather") == 2 * kTokens * 256);
  CHECK(bytes(s, "attention.kv-up.all-gather") == 2 * kTokens * 128);
}

TEST_CASE("context ranks send keys and values of every head, each in its width") {
  const double token = 2.0 * 16 * kTokens;
  CHECK(bytes(latent({"parallelism.cp=4"}), "attention.ring") == token * (64 + 32 + kValue));
  const Scenario heads = latent({"parallelism.cp=4", "software.context=all-to-all"});
  CHECK(bytes(heads, "attention.exchange-query") == token / 4 * (64 + 32));
  CHECK(bytes(heads, "attention.exchange-key") == token / 4 * (64 + 32));
  CHECK(bytes(heads, "attention.exchange-value") == token / 4 * kValue);
  CHECK(bytes(heads, "attention.exchange-context") == token / 4 * kValue);
}

TEST_CASE("latent-up: queries, keys and values are dropped and run again from the latents") {
  const Sets policy{"parallelism.recompute=selective", "software.selective=latent-up"};
  for (const Sets& more : {Sets{}, Sets{"parallelism.tp=4", "parallelism.sequence_parallel=true"}}) {
    const double by = more.empty() ? 1 : 4;
    const Workload none = sample::workload(latent(more)), some = sample::workload(latent(policy + more));
    const double dropped = 2 * kTokens * 16 * (2 * (64 + 32) + kValue) / by;
    CHECK(none.layer().saved_bytes() - some.layer().saved_bytes() == dropped);
    CHECK(some.layer().recompute_working_set == dropped);
    double flops = 0;
    std::set<std::string> again;
    for (const WorkOp& op : some.layer().ops) {
      if (op.phase != StepPhase::recompute) continue;
      again.insert(op.name);
      flops += sample::gemm_flops(op);
    }
    CHECK(flops == 2 * kTokens * (256.0 * 16 * 96 + 128.0 * 16 * (64 + kValue)) / by);
    std::set<std::string> expected{"attention.q-up", "attention.kv-up", "attention.rope", "attention.join"};
    if (by > 1) expected.insert({"attention.q-up.all-gather", "attention.kv-up.all-gather"});
    CHECK(again == expected);
  }
}

TEST_CASE("latent-up-and-cheap: norms and activations run again too, and what they write is dropped") {
  const Sets policy{"parallelism.recompute=selective", "software.selective=latent-up-and-cheap"};
  const Workload none = sample::workload(latent()), some = sample::workload(latent(policy));
  const double heads = 2 * 16 * (2 * (64 + 32) + kValue), product = 2 * 2816, inputs = 2 * 2 * 1024,
               latents = 2 * (256 + 128);
  CHECK(none.layer().saved_bytes() - some.layer().saved_bytes() == kTokens * (heads + product + inputs + latents));
  std::set<std::string> again;
  for (const WorkOp& op : some.layer().ops)
    if (op.phase == StepPhase::recompute) again.insert(op.name);
  CHECK(again == std::set<std::string>{"attention.norm", "attention.q-norm", "attention.kv-norm", "attention.q-up",
                                       "attention.kv-up", "attention.rope", "attention.join", "mlp.norm",
                                       "mlp.activation"});
}

TEST_CASE("without latents queries, keys and values are kept: nothing makes them again") {
  const Sets latent_up{"parallelism.recompute=selective", "software.selective=latent-up"},
      cheap{"parallelism.recompute=selective", "software.selective=latent-up-and-cheap"};
  CHECK(sample::workload(sample::llama(latent_up)).layer().saved_bytes() ==
        sample::workload(sample::llama()).layer().saved_bytes());
  const Block layer = sample::workload(sample::llama(cheap)).layer();
  CHECK(saved(layer, "attention.query") == 2 * kTokens * 1024);
  for (const WorkOp& op : layer.ops)
    if (op.phase == StepPhase::recompute) CHECK_MESSAGE(op.name != "attention.rope", op.name);
}

TEST_CASE("where no fused kernel takes keys wider than values, the core of latent attention is unfused, and no other") {
  const auto core = [](const Scenario& s) {
    const Workload w = sample::workload(s);
    std::set<std::string> names;
    for (const WorkOp& op : w.layer().ops)
      if (op.name.str().starts_with("attention.")) names.insert(op.name);
    return names;
  };
  const Sets unfused{"software.attention=unfused"}, refused{"software.fused_latent=false"};
  CHECK(core(latent()).contains("attention.fused"));
  CHECK(!core(latent(refused)).contains("attention.fused"));
  CHECK(core(latent(refused)) == core(latent(unfused)));
  CHECK(sample::plan(latent(refused)).step->seconds == sample::plan(latent(unfused)).step->seconds);
  CHECK(sample::plan(latent(refused)).memory->device.peak_bytes ==
        sample::plan(latent(unfused)).memory->device.peak_bytes);
  CHECK(core(sample::llama(refused)).contains("attention.fused"));
}

TEST_CASE("NeMo until 25.07 runs latent attention unfused on Blackwell, as its Transformer Engine did") {
  const auto attends_unfused = [](const char* cluster, const char* release) {
    return planner::attends_unfused(sample::scenario(
        std::string("model: {use: deepseek-v3}\njob: {sequence: 4096, global_batch: 1024}\ncluster: {use: ") + cluster +
        ", gpus: 128}\nsoftware: {use: nemo, release: " + release + "}\nparallelism: {tp: 2, pp: 4, ep: 16}\n"));
  };
  CHECK(attends_unfused("gb200-nvl72", "25.04"));
  CHECK(attends_unfused("gb200-nvl72", "25.07"));
  CHECK(!attends_unfused("gb200-nvl72", "25.09"));
  CHECK(!attends_unfused("dgx-h100", "25.04"));
}
