// The choice of keys: scores of narrow heads, then the largest of each query (DeepSeek-V3.2, arXiv:2512.02556, eq.
// 1-2).
//
//     forward  = 2 * batch * heads * head_dim * pairs
//     seconds  = 2 * launch + base + forward / (matrix * peak) + bytes / (choice * bandwidth)
//     bytes    = queries, keys, and scores in fp32, written by one kernel and read by the next
//
// Backward is the loss of the chosen keys alone (eq. 4): their scores made again, and two gradients of their product.
#include <algorithm>

#include "operator_models/attention_shape.h"

namespace operator_models {
namespace {

constexpr double kScoreBytes = 4;
constexpr double kBackwardProducts = 3;

bool no_work(const Selection& op) {
  return op.batch <= 0 || op.queries <= 0 || op.keys <= 0 || op.heads <= 0 || op.head_dim <= 0;
}

/// Keys are one head's; of gradients all operands once more.
void count(Cost& c, const Selection& op, double pairs) {
  const double batch = static_cast<double>(op.batch), heads = static_cast<double>(op.heads);
  const double width = static_cast<double>(op.head_dim), queries = static_cast<double>(op.queries);
  const double operands =
      batch * width * element_bytes(op.precision) * (heads * queries + static_cast<double>(op.keys));
  const double chosen = batch * queries * kScoreBytes * static_cast<double>(std::min(op.top_k, op.keys));
  c.flops = 2 * batch * heads * width * pairs * (op.backward ? kBackwardProducts : 1);
  c.bytes_read = operands + batch * pairs * kScoreBytes;
  c.bytes_written = op.backward ? operands : batch * pairs * kScoreBytes + chosen;
}

}  // namespace

Cost selection(const Selection& op, const Device& device, const Share& share) {
  const SelectionCalibration& row = device.calibration->selection;
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  Cost c;
  if (!no_work(op)) {
    const double pairs = seen_pairs(op.queries, op.keys, op.causal, op.backward ? op.top_k : 0);
    count(c, op, pairs);
    const double bandwidth = device.gpu->memory_bandwidth.value * share.bandwidth;
    const double compute = c.flops / (row.matrix * rate.peak.value * share.compute_units);
    const double memory = (c.bytes_read + c.bytes_written) / (row.choice * bandwidth);
    const double factor = op.backward ? row.backward : 1;
    c.launch = 2 * launch_of(device);
    c.seconds = c.launch + dsl::Seconds{factor * (row.base.value + compute + memory)};
    c.bound = compute + memory < c.launch.value ? Bound::launch : compute >= memory ? Bound::compute : Bound::memory;
  }
  c.model = "scores";
  c.provenance = rate.exact ? row.provenance : Provenance::assumed;
  c.relative_error = row.relative_error;
  return c;
}

}  // namespace operator_models
