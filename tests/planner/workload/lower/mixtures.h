// A mixture of experts for tests of the planner, and what all ranks of a layout hold and do together.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "tests/planner/sample.h"

namespace mixtures {

using planner::Block;
using planner::Scenario;
using planner::Split;
using planner::Workload;
using planner::WorkOp;
using sample::Sets;

/// A dense layer, then three with experts beside a shared one; 512 tokens for each expert, all of them in one kernel.
inline constexpr const char* kMixture = R"(
model: {layers: 4, hidden: 1024, ffn: 2816, heads: 16, kv_heads: 4, vocab: 32000, gated_mlp: true, rotary: true,
        bias: false, norm: rmsnorm, activation: silu,
        experts: {count: 16, top_k: 4, ffn: 512, shared: 1, first_dense: 1, groups: 4}}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 32}
software: {use: megatron-core, experts: {grouped: true}}
)";
inline constexpr double kTokens = 2048, kHidden = 1024, kTopK = 4, kExperts = 16;

Scenario mixture(const Sets& sets = {});
std::string set(const std::string& path, int64_t n);

/// The layer with experts. A copy: a reference into the workload of a call would not outlive a range-based for.
Block expert_layer(const Workload& w);

/// The sum of `of(block)` over all stages of all ranks, per step.
template <class Of> double over_ranks(const Scenario& s, const Workload& w, Of of) {
  double sum = 0;
  for (int id : w.class_of_stage) sum += w.sum(w.classes[static_cast<size_t>(id)].total(), of);
  const auto& p = s.parallelism;
  return sum * static_cast<double>(w.microbatches * p.tp * p.cp * p.dp);
}

/// FLOPs of all GEMMs of a step.
double gemm_flops(const Scenario& s);

/// Traffic of memory-bound kernels of a step by name, without those whose size follows from the weights.
std::map<std::string, double> traffic(const Scenario& s);

/// Weights of the whole model, each counted once: copies on other ranks are not counted again.
double weights(const Scenario& s);

}  // namespace mixtures
