// Compute against communication by counting alone, whatever the machine (Pati 2024, section 5.2):
//
//     edge  = FLOP of a layer / bytes that block it                        = (9 H + 1.5 SL) / TP     (5.1-5.6)
//     slack = FLOP of a matrix's backward GEMMs / bytes of its gradient    = 2 SL B                  (5.7-5.9)
//
// with the closed forms of an ungated 16-bit block, forward and backward. The printed equations count one of two FC
// GEMMs, one of two attention GEMMs, three of four linear GEMMs, one of four all-reduces and the forward pass; here all
// operators of the workload count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// A weight matrix of one layer on one rank, one microbatch: FLOP of its two backward GEMMs; bytes of its gradient in
/// the job's precision.
struct SlackRow {
  std::string name;  // "mlp.fc1"; "layer.experts/mlp.fc1" where a model has several kinds of layer
  double flops = 0, overlapped_bytes = 0;
  double slack_flops_per_byte() const { return overlapped_bytes > 0 ? flops / overlapped_bytes : 0; }
};

struct Algorithm {
  /// The layers of the stage that holds most, one step on one rank: matrix products, forward and backward, attention
  /// over full squares; bytes of the collectives between them, an all-reduce once, a gather or scatter as half of one.
  double compute_flops = 0, serialized_bytes = 0;
  std::optional<double> edge_flops_per_byte;  // none: nothing blocks
  double edge_order = 0, slack_order = 0;     // (H + SL) / TP and SL B: what edge and slack scale with (5.6, 5.9)
  std::vector<SlackRow> layers;
};

/// The GEMM that makes the gradient of a weight matrix, and whether `op` makes that of the same matrix's input.
bool is_weight_gradient(const WorkOp& op);
bool is_data_gradient_of(const WorkOp& op, const WorkOp& weight_gradient);
/// Elements of the weight matrix that a weight gradient is of.
double matrix_elements(const WorkOp& weight_gradient);
/// The name of the matrix, for people: "mlp.fc1" of "mlp.fc1.wgrad".
std::string matrix_of(const WorkOp& weight_gradient);
/// Of all its calls in one microbatch: a matrix product's; 0 of everything else. Attention over full squares.
double product_flops(const WorkOp& op);
/// The stage with the most layers: number of its class.
size_t fullest_class(const Workload& workload);

/// REQUIRES: no layout violation; `workload` is that of the scenario.
Algorithm count_algorithm(const Scenario& scenario, const Workload& workload);

/// Tensor parallelism that fits a model (5.3.3.2): base_tp * p / s, for p times the parameters of the base and s times
/// the memory of its devices.
struct TensorBase {
  double tp = 8, parameters = 3.9e9;                // Megatron-LM's BERT, Pati 2024 sec. 5.3.3.2
  double memory_bytes = 16.0 * (int64_t{1} << 30);  // of its V100, same section
};
double required_tp(const Scenario& scenario, const TensorBase& base = {});
/// The smallest power of two that divides the heads and fits by the plan's own memory, on as many GPUs and nothing else
/// parallel; none: no such degree fits.
std::optional<int64_t> fitting_tp(const Scenario& scenario);

}  // namespace planner
