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

/// `set`: the time of a kernel that has work, at the peak of the share and for the pairs that are executed.
template <class SetTime>
Cost priced(const char* model, const Attention& op, const Device& device, const Share& share, const SetTime& set) {
  const auto [row, exact] = attention_row(*device.calibration, op);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  Cost c;
  if (!is_empty(op)) {
    const double pairs = executed_pairs(op, row.block);
    c = attention_work(op, row, pairs, device, share);
    set(c, row, rate.peak.value * share.compute_units, pairs);
  }
  set_source(c, model, row, rate.exact && exact);
  return c;
}

}  // namespace

Cost fused_attention(const Attention& op, const Device& device, const Share& share) {
  return priced("fused", op, device, share, [&](Cost& c, const AttentionCalibration& row, double peak, double pairs) {
    const double compute = c.flops / (peak * efficiency(op, row, pairs) * c.occupancy);
    const double memory = (c.bytes_read + c.bytes_written) / (device.gpu->memory_bandwidth.value * share.bandwidth);
    set_time(c, compute, memory, device);
  });
}

Cost attention_proportional(const Attention& op, const Device& device, const Share& share) {
  return priced("proportional", op, device, share, [&](Cost& c, const AttentionCalibration& row, double peak, double) {
    set_time(c, c.flops / (peak * (op.backward ? row.backward : row.forward)), 0, device);
  });
}

}  // namespace operator_models
