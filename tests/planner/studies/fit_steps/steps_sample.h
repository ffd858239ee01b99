// Runs whose times and memory a planner with known numbers says: what a fit has to find again.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/studies/fit_steps/fit.h"
#include "planner/studies/runs/predict.h"

namespace steps {

using planner::MeasuredRun;
using planner::RunConfig;
using planner::Scenario;

/// Path and value, as `--set` would write them.
using Truth = std::vector<std::pair<std::string, double>>;

inline const dsl::Catalog& catalog() {
  static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return catalog;
}

/// A decoder of 2.7 B parameters on nodes of eight A100.
inline RunConfig job(int64_t nodes = 1, int64_t tp = 1, int64_t batch = 64, const char* kernel = "flash2") {
  RunConfig c;
  c.task = "pretrain", c.family = "dense", c.layers = 32, c.hidden = 2560, c.ffn_hidden = 10240;
  c.heads = 40, c.vocab = 51200, c.seq_len = 2048, c.gpu = "A100-SXM-80GB", c.gpus_per_node = 8, c.n_gpus = 8 * nodes;
  c.inter_node_link = "IB HDR 8x200Gb/s per node (Selene)", c.precision = "bf16", c.software = "megatron-core";
  c.attention_kernel = kernel, c.global_batch = batch * nodes, c.tp = tp, c.pp = 1, c.microbatch = 1;
  c.recompute = "none";
  return c;
}

/// The run, measured as the planner with the numbers of `truth` in place says, times `factor`.
inline MeasuredRun measured(const RunConfig& config, const Truth& truth, const std::string& group, double factor = 1) {
  MeasuredRun run{
      .id = "run", .group = group, .scenario = *planner::run_scenario(config, catalog()).scenario, .measured = {}};
  Scenario real = run.scenario;
  for (const auto& [path, value] : truth)
    for (const planner::ScenarioNumber& place : planner::numbers_at(real, path)) *place.value = value;
  const planner::Plan plan = planner::make_plan(real);
  run.measured.seconds = plan.step->seconds * factor;
  run.measured.memory_bytes = plan.memory->device.peak_bytes;
  run.measured.memory_kind = planner::MemoryKind::device;
  return run;
}

/// Runs of several nodes, layouts and batches in three groups.
inline std::vector<MeasuredRun> many(const Truth& truth, const char* kernel = "flash2") {
  std::vector<MeasuredRun> out;
  for (int64_t tp : {1, 2, 4}) {
    for (int64_t batch : {8, 64, 256})
      out.push_back(measured(job(1, tp, batch, kernel), truth, "tp" + std::to_string(tp)));
    for (int64_t nodes : {2, 8, 32})
      out.push_back(measured(job(nodes, tp, 64, kernel), truth, "tp" + std::to_string(tp)));
  }
  return out;
}

inline planner::StepsFit fit(std::vector<MeasuredRun> runs, const std::vector<std::string>& only = {}) {
  planner::StepProblem problem(std::move(runs));
  dsl::Diagnostics diagnostics;
  return planner::fit_steps(problem, only, diagnostics);
}

inline const planner::FittedNumber* number(const planner::StepsFit& fit, const std::string& path) {
  for (const planner::FittedNumber& n : fit.numbers)
    if (n.path == path) return &n;
  return nullptr;
}

}  // namespace steps
