// Scenarios for tests of the planner, read the way the command line reads them.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/plan/step.h"
#include "planner/resolve/read.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/passes/passes.h"

namespace sample {

using Sets = std::vector<std::string>;

/// A small GPT in fp16 on one DGX A100, with software whose kernels are those of Korthikanti et al. 2022.
inline constexpr const char* kGpt = R"(
model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200, positions: 1024, tied_embeddings: true, dropout: 0.1}
job: {sequence: 1024, global_batch: 64, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: megatron-2021}
)";

/// A small LLaMA (grouped heads, gated MLP, no biases, untied) in bf16.
inline constexpr const char* kLlama = R"(
model: {layers: 8, hidden: 1024, ffn: 2816, heads: 16, kv_heads: 4, vocab: 32000, gated_mlp: true, rotary: true,
        bias: false, norm: rmsnorm, activation: silu}
job: {sequence: 2048, global_batch: 64, precision: bf16}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: megatron-core}
)";

planner::LoadedScenario load(const std::string& text, const Sets& sets = {},
                             const std::string& directory = "/nonexistent");

planner::Scenario scenario(const std::string& text, const Sets& sets = {});
planner::Scenario gpt(const Sets& sets = {});
planner::Scenario llama(const Sets& sets = {});

Sets operator+(Sets a, const Sets& b);

/// A plan without layout violations.
planner::Plan plan(const planner::Scenario& s);

planner::Workload workload(const planner::Scenario& s);

bool near(double a, double b, double relative = 1e-9);

/// The operators of a block with this name, whatever their phase.
std::vector<planner::WorkOp> named(const std::vector<planner::WorkOp>& ops, std::string_view name);

/// The one operator with this name and phase.
planner::WorkOp only(const std::vector<planner::WorkOp>& ops, std::string_view name,
                     planner::StepPhase phase = planner::StepPhase::forward);

operator_models::Gemm gemm(const planner::WorkOp& op);

operator_models::Collective collective(const planner::WorkOp& op);

double gemm_flops(const planner::WorkOp& op);

}  // namespace sample
