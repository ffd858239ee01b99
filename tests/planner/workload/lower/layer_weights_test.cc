// The closed form of a layer's parameters is the sum of the weights that lowering writes, whatever the layer has.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/planner/sample.h"

using planner::Block;
using planner::BlockKind;

namespace {

planner::Scenario one_kind(const std::string& model, const std::string& kind) {
  return sample::scenario("model: {layers: 2, hidden: 1024, ffn: 4096, heads: 16, kv_heads: 8, vocab: 32000, " + model +
                          ", pattern: ZZ, kinds: [{letter: Z, " + kind +
                          "}]}\njob: {sequence: 2048, global_batch: 16}\ncluster: {use: dgx-h100, gpus: 8}\n"
                          "software: {use: megatron-core}\nparallelism: {auto: false, dp: 8}\n");
}

double lowered(const planner::Scenario& s) {
  const planner::Workload w = sample::workload(s);
  const auto block = std::ranges::find(w.blocks, BlockKind::layer, &Block::kind);
  REQUIRE(block != w.blocks.end());
  double sum = 0;
  for (const planner::Weight& weight : block->weights) sum += weight.parameters;
  return sum;
}

struct Case {
  const char *kind, *model;
};
constexpr Case kCases[] = {
    {"use: block", "bias: true"},
    {"use: block, gated: true", "bias: true"},
    {"use: block, gated: true", "bias: false, qkv_bias: true"},
    {"use: block, gated: true, query_rank: 512", "bias: true"},
    {"use: block, query_rank: 512", "bias: true"},
    {"use: block, query_rank: 512", "bias: true, norm: rmsnorm"},
    {"use: block, shared_values: true", "bias: true"},
    {"use: block, output_rank: 128, output_groups: 2", "bias: true"},
    {"use: block", "bias: true, latent: {rank: 512, query_rank: 256}"},
    {"use: block", "bias: false, latent: {rank: 512, query_rank: 256}"},
    {"use: block, query_rank: 384", "bias: true, latent: {rank: 512, query_rank: 256}"},
    {"use: block, query_rank: 384", "bias: false, norm: rmsnorm, latent: {rank: 512}"},
    {"use: block, gated: true", "bias: true, latent: {rank: 512, query_rank: 256}"},
    {"use: sparse-attention", "bias: true, latent: {rank: 512, query_rank: 256}"},
    {"use: sparse-attention, query_rank: 384", "bias: false, norm: rmsnorm, latent: {rank: 512, query_rank: 256}"},
    {"use: block", "bias: true, parallel_block: true"},
    {"use: block", "bias: true, parallel_block: true, post_norm: true"},
    {"use: block", "bias: false, norm: rmsnorm, parallel_block: true, post_norm: true"},
    {"use: attention", "bias: true, parallel_block: true, post_norm: true"},
    {"use: block", "bias: true, post_norm: true"},
    {"use: experts", "bias: true, experts: {count: 8, top_k: 2, ffn: 512}"},
    {"use: experts, expert_width: 256", "bias: true, experts: {count: 8, top_k: 2, ffn: 512}"},
    {"use: experts, expert_width: 256",
     "bias: true, gated_mlp: true, experts: {count: 8, top_k: 2, ffn: 512, shared: 1}"},
    {"use: mamba2", "bias: true"},
    {"use: mamba1", "bias: false"},
    {"use: gated-delta, feed_forward: mlp", "bias: true"},
};

}  // namespace

TEST_CASE("a layer's parameters are the weights that lowering writes") {
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.kind));
    CAPTURE(std::string(c.model));
    const planner::Scenario s = one_kind(c.model, c.kind);
    CHECK(planner::layer_parameters(s.model, planner::layer_kinds(s.model).front()) == lowered(s));
  }
}

TEST_CASE("a model without a pattern has the same: norms behind both parts of a parallel block, latents with biases") {
  for (const char* model : {"parallel_block: true, post_norm: true", "post_norm: true", "parallel_block: true",
                            "latent: {rank: 512, query_rank: 256}", "latent: {rank: 512}", "qkv_bias: true"}) {
    CAPTURE(std::string(model));
    const planner::Scenario s =
        sample::scenario("model: {layers: 2, hidden: 1024, heads: 16, vocab: 32000, " + std::string(model) +
                         "}\njob: {sequence: 2048, global_batch: 16}\ncluster: {use: dgx-h100, gpus: 8}\n"
                         "software: {use: megatron-core}\nparallelism: {auto: false, dp: 8}\n");
    CHECK(planner::layer_parameters(s.model) == lowered(s));
  }
}

TEST_CASE("the width of queries of a kind is that of its latent") {
  const planner::Scenario own =
      one_kind("bias: false, latent: {rank: 512, query_rank: 256}", "use: block, query_rank: 384");
  const planner::Scenario of_model = one_kind("bias: false, latent: {rank: 512, query_rank: 384}", "use: block");
  CHECK(lowered(own) == lowered(of_model));
}

TEST_CASE("as many gradients come back to a mixer's input as projections of their own read it") {
  struct Row {
    const char* kind;
    double gradients;
  };
  const Row rows[] = {{"use: block", 3},
                      {"use: block, shared_values: true", 2},
                      {"use: mamba2", 1},
                      {"use: gated-delta, feed_forward: mlp", 2},
                      {"use: kda-full-gate", 4}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.kind));
    planner::Scenario s = one_kind("bias: false", row.kind);
    const auto count = [&] {
      const planner::Workload w = sample::workload(s);
      const auto block = std::ranges::find(w.blocks, BlockKind::layer, &Block::kind);
      return sample::only(block->ops, "attention.add", planner::StepPhase::backward).count;
    };
    CHECK(count() == 1);
    s.software.fusion.qkv = s.software.fusion.fan_out = false;
    CHECK(count() == row.gradients);
  }
}
