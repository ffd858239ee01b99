// What tests of fixed operator lists share.
#pragma once

#include <string>

#include "tests/planner/sample.h"

namespace sample {

/// SeqPoint's GPU and batch (Pati 2024, section 3.4).
inline const std::string kVega = R"(
model: {use: gnmt}
job: {sequence: 94, global_batch: 64, precision: fp32, optimizer: sgd}
cluster:
  gpus: 1
  gpus_per_node: 1
  gpu: {use: vega-fe-16gb}
  network: [{name: pcie, bandwidth: 15.75 GB/s, latency: 5 us}]
  node_power: 550 W
  mtbf: 50000 h
  checkpoint: {save: 10 s, detect: 10 min, restart: 5 min}
software: {use: ddp-amp}
parallelism: {microbatch: 64}
)";

/// Of the matrix products of a phase.
inline double flops(const planner::Block& block, planner::StepPhase phase) {
  double sum = 0;
  for (const planner::WorkOp& op : block.ops)
    if (op.phase == phase) sum += gemm_flops(op);
  return sum;
}

/// What the rule of fixed operator lists says of a layout; "" where it holds.
inline std::string fixed_violation(const planner::Scenario& s) {
  for (const planner::Violation& v : planner::layout_violations(s))
    if (v.rule == "fixed") return v.message;
  return "";
}

}  // namespace sample
