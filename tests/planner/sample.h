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

inline planner::LoadedScenario load(const std::string& text, const Sets& sets = {},
                                    const std::string& directory = "/nonexistent") {
  static dsl::Sources sources;  // spans of the records point into them
  sources.push_back({.name = "test.yaml", .text = text, .directory = directory});
  dsl::Source& source = sources.back();
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  auto loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(loaded.has_value());
  return *std::move(loaded);
}

inline planner::Scenario scenario(const std::string& text, const Sets& sets = {}) { return load(text, sets).scenario; }
inline planner::Scenario gpt(const Sets& sets = {}) { return scenario(kGpt, sets); }
inline planner::Scenario llama(const Sets& sets = {}) { return scenario(kLlama, sets); }

inline Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A plan without layout violations.
inline planner::Plan plan(const planner::Scenario& s) {
  planner::Plan p = planner::make_plan(s);
  for (const planner::Violation& v : p.violations) INFO(v.rule, ": ", v.message);
  REQUIRE(p.step.has_value());
  return p;
}

inline planner::Workload workload(const planner::Scenario& s) {
  for (const planner::Violation& v : planner::layout_violations(s)) FAIL(v.rule, ": ", v.message);
  return planner::build_workload(s);
}

inline bool near(double a, double b, double relative = 1e-9) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// The operators of a block with this name, whatever their phase.
inline std::vector<planner::WorkOp> named(const std::vector<planner::WorkOp>& ops, std::string_view name) {
  std::vector<planner::WorkOp> found;
  for (const planner::WorkOp& op : ops)
    if (op.name == name) found.push_back(op);
  return found;
}

/// The one operator with this name and phase.
inline planner::WorkOp only(const std::vector<planner::WorkOp>& ops, std::string_view name,
                            planner::StepPhase phase = planner::StepPhase::forward) {
  std::vector<planner::WorkOp> found;
  for (const planner::WorkOp& op : named(ops, name))
    if (op.phase == phase) found.push_back(op);
  REQUIRE_MESSAGE(found.size() == 1, std::string(name));
  return found.front();
}

inline operator_models::Gemm gemm(const planner::WorkOp& op) {
  const auto* g = std::get_if<operator_models::Gemm>(&op.op);
  REQUIRE_MESSAGE(g, op.name);
  return *g;
}

inline operator_models::Collective collective(const planner::WorkOp& op) {
  const auto* c = std::get_if<operator_models::Collective>(&op.op);
  REQUIRE_MESSAGE(c, op.name);
  return *c;
}

inline double gemm_flops(const planner::WorkOp& op) {
  const auto* g = std::get_if<operator_models::Gemm>(&op.op);
  if (!g) return 0;
  return 2.0 * op.count * static_cast<double>(g->batch) * static_cast<double>(g->m) * static_cast<double>(g->n) *
         static_cast<double>(g->k);
}

}  // namespace sample
