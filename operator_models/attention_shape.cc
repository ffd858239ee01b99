#include "operator_models/attention_shape.h"

#include <algorithm>
#include <cmath>

namespace operator_models {
namespace {

constexpr double kFullHead = 128;

void count_bytes(Cost& c, const Attention& op) {
  double element = element_bytes(op.precision), rows = real(op.batch) * head_width(op) * element;
  double q = rows * real(op.heads) * real(op.queries);
  double kv = rows * real(op.kv_heads) * real(op.keys);
  c.bytes_read = op.backward ? 3 * q + 2 * kv : q + 2 * kv;
  c.bytes_written = op.backward ? q + 2 * kv : q;
}

}  // namespace

double element_bytes(Precision p) { return p == Precision::nvfp4 ? 2 : operand_bytes(p); }

double head_width(const Attention& op) {
  return real(op.head_dim + (op.value_dim > 0 ? op.value_dim : op.head_dim)) / 2;
}

double head_halvings(double width) { return std::clamp(std::log2(kFullHead / width), 0.0, 3.0); }

double seen_pairs(int64_t queries, int64_t keys, bool causal, int64_t most) {
  const double q = real(queries), kv = real(keys);
  const double cap = most > 0 ? std::min(real(most), kv) : kv;
  if (!causal) return q * cap;
  const double first = kv - std::min(q, kv) + 1;  // keys of the first query that sees any
  if (cap < first) return std::min(q, kv) * cap;
  return (first + cap) * (cap - first + 1) / 2 + (kv - cap) * cap;
}

double executed_pairs(const Attention& op, double block) {
  double q = real(op.queries), kv = real(op.keys), all = q * kv;
  if (op.selected > 0)
    return block > 0 ? q * real(op.selected) : seen_pairs(op.queries, op.keys, op.causal, op.selected);
  if (op.window > 0) {  // a band, with the masked corners of its blocks
    double band = real(op.window) * (op.causal ? 1 : 2) + block;
    if (band < kv) return q * band - (op.causal ? std::min(q, band) * (band - block) / 2 : 0);
  }
  if (!op.causal) return all;
  double side = std::min(q, kv);
  return std::min(all, all - side * side / 2 + side * block / 2);
}

bool is_empty(const Attention& op) {
  return op.batch <= 0 || op.heads <= 0 || op.queries <= 0 || op.keys <= 0 || op.head_dim <= 0;
}

Cost attention_work(const Attention& op, const AttentionCalibration& row, double pairs, const Device& device,
                    const Share& share) {
  Cost c;
  c.provenance = row.provenance;
  c.relative_error = row.relative_error;
  count_bytes(c, op);
  double heads = real(op.batch) * real(op.heads);
  c.flops = 4 * heads * head_width(op) * pairs * (op.backward ? kBackwardGemms : 1);
  c.workgroups = heads * std::ceil(real(op.queries) / row.block);
  c.waves = c.workgroups / std::max(1.0, real(device.gpu->compute_units) * share.compute_units);
  c.occupancy = std::min(1.0, c.waves);
  return c;
}

void set_time(Cost& c, double compute, double memory, const Device& device) {
  c.launch = launch_of(device);
  c.seconds = c.launch + dsl::Seconds{std::max(compute, memory)};
  c.bound = bound_of(std::max(compute, memory), compute >= memory, c.launch);
}

}  // namespace operator_models
