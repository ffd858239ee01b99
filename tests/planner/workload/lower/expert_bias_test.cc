// Operators around the experts' activation in models that bound its inputs and add a bias to the experts' output
// (GPT-OSS).
#include <doctest/doctest.h>

#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using operator_models::Vector;
using planner::StepPhase;
using sample::near;
using sample::operator+;

namespace {

/// Bytes that the kernels of a name move in one pass of a layer.
double moved(const Workload& w, const std::string& name, StepPhase phase) {
  double bytes = 0;
  for (const WorkOp& op : expert_layer(w).ops)
    if (op.name.str() == name && op.phase == phase) {
      const auto& v = std::get<Vector>(op.op);
      bytes += op.count * (v.read.value + v.written.value);
    }
  return bytes;
}

/// Rows of the experts, all together.
double rows(const Workload& w) {
  const operator_models::Gemm g = sample::gemm(sample::only(expert_layer(w).ops, "experts.fc1"));
  return static_cast<double>(g.batch * g.n);
}

}  // namespace

TEST_CASE("biases behind the experts: every row passes fp32 expert by expert, forward 28 bytes an element") {
  const Sets biased{"model.bias=true", "software.experts.fused_bias=false"};
  const Workload w = sample::workload(mixture(biased));
  const double elements = rows(w) * static_cast<double>(mixture(biased).model.hidden);
  CHECK(near(moved(w, "experts.bias", StepPhase::forward), 28 * elements));
  CHECK(near(moved(w, "experts.bias", StepPhase::backward), 40 * elements));
  for (const Sets& none : {Sets{"model.bias=false", "software.experts.fused_bias=false"},
                           Sets{"model.bias=true", "software.experts.fused_bias=true"}}) {
    const Workload without = sample::workload(mixture(none));
    for (const WorkOp& op : expert_layer(without).ops) CHECK_MESSAGE(op.name != "experts.bias", op.name);
  }
}

TEST_CASE("bounds of the activation's inputs: four passes forward, five backward, and a copy is kept") {
  const Sets alone{"model.experts.shared=0"}, bounded = alone + Sets{"model.clamp=7", "software.fusion.clamp=false"};
  const Scenario s = mixture(bounded);
  const Workload w = sample::workload(s), without = sample::workload(mixture(alone));
  const double inputs = rows(w) * static_cast<double>(s.model.experts.ffn * (s.model.gated_mlp ? 2 : 1));
  CHECK(near(moved(w, "experts.clamp", StepPhase::forward), 4 * 2 * inputs));
  CHECK(near(moved(w, "experts.clamp", StepPhase::backward), 5 * 2 * inputs));
  CHECK(near(expert_layer(w).saved_bytes() - expert_layer(without).saved_bytes(), 2 * inputs));
  const Workload fused = sample::workload(mixture(alone + Sets{"model.clamp=7", "software.fusion.clamp=true"}));
  CHECK(expert_layer(fused).saved_bytes() == expert_layer(without).saved_bytes());
  CHECK(expert_layer(fused).ops.size() == expert_layer(without).ops.size());
}

// 290 kB a routed row of GPT-OSS: bias and bounds, forward and backward.
TEST_CASE("GPT-OSS under Megatron-Core moves some 300 kB a routed row for its biases and bounds") {
  const Scenario s = sample::scenario(
      "model: {use: gpt-oss-20b}\njob: {sequence: 4096, global_batch: 64, precision: bf16}\n"
      "cluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core, experts: {grouped: true}}\n");
  const Workload w = sample::workload(s);
  double bytes = 0;
  for (const char* name : {"experts.bias", "experts.clamp"})
    for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) bytes += moved(w, name, phase);
  CHECK(bytes / rows(w) == doctest::Approx(300e3).epsilon(0.03));
}
