// Fused attention (FlashAttention: Dao et al. 2022; FlashAttention-2: Dao 2023; -3: Shah et al. 2024).
//
//     executed = 2 * batch * heads * (head_dim + value_dim) * pairs * (backward ? 2.5 : 1)
//     seconds  = launch + executed / (efficiency * peak)
//
// `pairs` counts (query, key) pairs that the kernel works on: all, or for a causal mask the lower triangle and
// the masked half of the blocks on the diagonal, or for a window its band, or `selected` keys of each query (a kernel
// gathers as many where fewer are to be seen, and masks them). Backward recomputes the scores: five GEMMs
// against two. `efficiency` is a figure per kernel and accelerator, lower for short rows (the loop over keys has a
// prologue) and for small heads (softmax work per FLOP doubles when head_dim halves).
#include <algorithm>
#include <cmath>

#include "operator_models/attention_shape.h"

namespace operator_models {
namespace {

double efficiency(const Attention& op, const AttentionCalibration& row, double pairs) {
  double keys = pairs / real(op.queries);
  double half = op.backward ? row.backward_half_length : row.half_length;
  double narrow = element_bytes(op.precision) < 2 ? row.narrow : 1;
  return narrow * (op.backward ? row.backward : row.forward) * std::pow(row.small_head, head_halvings(head_width(op))) *
         keys / (keys + half);
}

}  // namespace

Cost fused_attention(const Attention& op, const Device& device, const Share& share) {
  const auto [row, exact] = attention_row(*device.calibration, op);
  Rate rate = matrix_peak(*device.gpu, op.precision);
  Cost c;
  if (!is_empty(op)) {
    double pairs = executed_pairs(op, row.block);
    c = attention_work(op, row, pairs, device, share);
    double compute = c.flops / (rate.peak.value * share.compute_units * efficiency(op, row, pairs) * c.occupancy);
    double memory = (c.bytes_read + c.bytes_written) / (device.gpu->memory_bandwidth.value * share.bandwidth);
    set_time(c, compute, memory, device);
  }
  c.model = "fused";
  c.provenance = rate.exact && exact ? row.provenance : Provenance::assumed;
  c.relative_error = row.relative_error;
  return c;
}

Cost attention_proportional(const Attention& op, const Device& device, const Share& share) {
  const auto [row, exact] = attention_row(*device.calibration, op);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  Cost c;
  if (!is_empty(op)) {
    c = attention_work(op, row, executed_pairs(op, row.block), device, share);
    const double efficiency = op.backward ? row.backward : row.forward;
    set_time(c, c.flops / (rate.peak.value * share.compute_units * efficiency), 0, device);
  }
  c.model = "proportional";
  c.provenance = rate.exact && exact ? row.provenance : Provenance::assumed;
  c.relative_error = row.relative_error;
  return c;
}

}  // namespace operator_models
