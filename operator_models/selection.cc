// The choice of keys: scores of narrow heads, then the largest of each query (DeepSeek-V3.2, arXiv:2512.02556, eq.
// 1-2).
//
//     forward  = 2 * batch * heads * head_dim * pairs
//     scores   = launch + base + max(forward / (matrix * peak), (operands + 4 * pairs) / bandwidth)
//     choice   = launch + batch * queries * query + 4 * pairs / (choice * bandwidth)
//     seconds  = scores + choice
//
// `pairs`: (query, key) that the mask leaves. The choice reads the scores, in fp32, several times over.
// Backward is the loss of the chosen keys alone (eq. 4): their scores made again, and two gradients of their product.
#include <algorithm>

#include "operator_models/attention_shape.h"
#include "operator_models/row_key.h"

namespace operator_models {
namespace {

constexpr double kScoreBytes = 4;
constexpr double kBackwardProducts = 3;

bool no_work(const Selection& op) {
  return op.batch <= 0 || op.queries <= 0 || op.keys <= 0 || op.heads <= 0 || op.head_dim <= 0;
}

bool chooses(const Selection& op) { return op.top_k > 0 && !op.backward; }

/// Keys are one head's. Backward reads operands and writes their gradients; the scores stay inside the kernel.
void count(Cost& c, const Selection& op, double pairs) {
  const double batch = real(op.batch), heads = real(op.heads);
  const double width = real(op.head_dim), queries = real(op.queries);
  const double operands = batch * width * element_bytes(op.precision) * (heads * queries + real(op.keys));
  const double scores = batch * pairs * kScoreBytes;
  c.flops = 2 * batch * heads * width * pairs * (op.backward ? kBackwardProducts : 1);
  c.bytes_read = operands + (chooses(op) ? scores : 0);
  c.bytes_written = op.backward ? operands : scores;
  if (chooses(op)) c.bytes_written += batch * queries * kScoreBytes * real(std::min(op.top_k, op.keys));
}

/// Seconds without launches: of the scores by what bounds them, then of the choice.
struct SelectionParts {
  double compute = 0, memory = 0, choice = 0;
  double seconds() const { return std::max(compute, memory) + choice; }
};

SelectionParts parts_of(const Cost& c, const Selection& op, const SelectionCalibration& row, double peak,
                        const Device& device, const Share& share) {
  const double bandwidth = device.gpu->memory_bandwidth.value * share.bandwidth;
  SelectionParts parts{.compute = c.flops / (row.matrix * peak * share.compute_units)};
  if (!chooses(op)) {
    parts.memory = (c.bytes_read + c.bytes_written) / bandwidth;
    return parts;
  }
  const double queries = real(op.batch) * real(op.queries);
  const double scores = real(op.batch) * seen_pairs(op.queries, op.keys, op.causal, 0) * kScoreBytes;
  parts.memory = (c.bytes_read + c.bytes_written - scores) / bandwidth;
  parts.choice = queries * row.query.value / share.compute_units + scores / (row.choice * bandwidth);
  return parts;
}

}  // namespace

const SelectionCalibration& selection_row(const Calibration& calibration) {
  return row_or_defaults(calibration.selection, "default");
}

Cost selection(const Selection& op, const Device& device, const Share& share) {
  const SelectionCalibration& row = selection_row(*device.calibration);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  Cost c;
  if (!no_work(op)) {
    count(c, op, seen_pairs(op.queries, op.keys, op.causal, op.backward ? op.top_k : 0));
    const SelectionParts parts = parts_of(c, op, row, rate.peak.value, device, share);
    const double busy = (op.backward ? row.backward : 1) * (row.base.value + parts.seconds());
    c.launch = (chooses(op) ? 2 : 1) * launch_of(device);
    c.seconds = c.launch + dsl::Seconds{busy};
    c.bound = bound_of(busy, parts.compute >= parts.memory + parts.choice, c.launch);
  }
  set_source(c, "scores", row, rate.exact);
  return c;
}

}  // namespace operator_models
