// Fused attention by measured tables, one per head width (`AttentionCut`):
//
//     work     = batch * kv_heads * ceil(queries * heads / kv_heads / block) / compute units
//     paid     = max(1, (1 - tail) * work + tail * ceil(work))
//     busy     = work up to 1, paid beyond
//     keys     = max(128, pairs / queries)
//     compute  = paid * 4 * block * width * keys / (scale * efficiency(keys) * share(busy) * peak / units)
//     memory   = (Q and O + K and V of whole blocks of 128 keys) / (memory_efficiency * bandwidth)
//     seconds  = launch + base + sqrt(compute^2 + memory^2)
//                [+ K and V read and written / (cache_efficiency * bandwidth) + batch * keys of all * cache_token]
//
// Query heads of one KV head share a workgroup (packed heads: flash-attention's pack_gqa). Backward takes 2.5 times the
// FLOPs at the forward surface times what the row's `backward` and `forward` say of each other. Between two widths the
// seconds of both are joined on a logarithmic axis; outside, the nearest one's by `small_head` as in model `fused`.
// No table, operands of eight bits or gathered keys: model `fused`.
#include <algorithm>
#include <cmath>

#include "operator_models/attention_shape.h"

namespace operator_models {
namespace {

constexpr double kKeyBlock = 128;  // keys of one step of the loop

/// Between neighbours on a logarithmic axis, level outside.
double between(const std::vector<double>& at, const std::vector<double>& values, double x) {
  if (x <= at.front()) return values.front();
  if (x >= at.back()) return values.back();
  const size_t i = static_cast<size_t>(std::upper_bound(at.begin(), at.end(), x) - at.begin());
  return values[i - 1] + (values[i] - values[i - 1]) * std::log(x / at[i - 1]) / std::log(at[i] / at[i - 1]);
}

/// One kernel on one device: what all cuts share.
struct AttentionKernel {
  const Attention& op;
  const AttentionCalibration& row;
  double units, unit_peak, bandwidth;  // of the share
  double keys, width, element;
};

/// Share of the forward efficiency that the backward kernel reaches.
double backward_ratio(const AttentionCalibration& row, double keys) {
  return row.backward / row.forward * (keys + row.half_length) / (keys + row.backward_half_length);
}

/// Q and O, or Q, O, dO and dQ; K and V, or also dK and dV, in whole blocks of keys.
double traffic(const AttentionKernel& k, double keys) {
  const double rows = real(k.op.batch) * k.width * k.element;
  const double q = rows * real(k.op.heads) * real(k.op.queries);
  const double kv = rows * real(k.op.kv_heads) * keys;
  return (k.op.backward ? 4 : 2) * (q + kv);
}

double compute_seconds(const AttentionKernel& k, const AttentionCut& cut) {
  const double kv_heads = real(std::max<int64_t>(1, k.op.kv_heads));
  const double rows = real(k.op.queries) * real(k.op.heads) / kv_heads;
  const double work = real(k.op.batch) * kv_heads * std::ceil(rows / cut.block) / k.units;
  const double paid = std::max(1.0, (1 - cut.tail) * work + cut.tail * std::ceil(work));
  const double busy = work <= 1 ? work : paid;  // so that the share never exceeds the paid work
  double efficiency = k.row.scale * between(cut.keys, cut.efficiency, k.keys) * between(cut.work, cut.share, busy);
  if (k.op.backward) efficiency *= backward_ratio(k.row, k.keys);
  const double gemms = k.op.backward ? kBackwardGemms : 1;
  return gemms * paid * 4 * cut.block * k.width * k.keys / (efficiency * k.unit_peak);
}

double cut_seconds(const AttentionKernel& k, const AttentionCut& cut) {
  const double whole = std::ceil(real(k.op.keys) / kKeyBlock) * kKeyBlock;
  const double memory = traffic(k, whole) / (cut.memory_efficiency * k.bandwidth);
  const double compute = compute_seconds(k, cut);
  double seconds = cut.base.value + std::sqrt(compute * compute + memory * memory);
  if (k.op.cached) {
    const double tokens = real(k.op.batch) * real(k.op.keys);
    const double kv = 2 * tokens * real(k.op.kv_heads) * k.width * k.element;
    seconds += 2 * kv / (cut.cache_efficiency * k.bandwidth) + tokens * cut.cache_token.value;
  }
  return seconds;
}

/// Outside the measured widths: less per FLOP for smaller heads, as model `fused` has it.
double beyond(const AttentionKernel& k, const AttentionCut& cut) {
  const double halvings = head_halvings(k.width) - head_halvings(real(cut.head_dim));
  return cut_seconds(k, cut) / std::pow(k.row.small_head, halvings);
}

double table_seconds(const AttentionKernel& k) {
  const std::vector<AttentionCut>& cuts = k.row.table;
  const auto above =
      std::find_if(cuts.begin(), cuts.end(), [&](const AttentionCut& c) { return real(c.head_dim) >= k.width; });
  if (above == cuts.end()) return beyond(k, cuts.back());
  const double high = real(above->head_dim);
  if (high == k.width) return cut_seconds(k, *above);
  if (above == cuts.begin()) return beyond(k, *above);
  const AttentionCut& below = *(above - 1);
  const double low = real(below.head_dim), part = std::log(k.width / low) / std::log(high / low);
  return (1 - part) * cut_seconds(k, below) + part * cut_seconds(k, *above);
}

bool inside(const AttentionKernel& k) {
  const AttentionCut &first = k.row.table.front(), &last = k.row.table.back();
  return k.width >= real(first.head_dim) && k.width <= real(last.head_dim) &&
         k.keys <= 2 * std::max(first.keys.back(), last.keys.back());
}

}  // namespace

Cost attention_table(const Attention& op, const Device& device, const Share& share) {
  const AttentionCalibration& row = attention_row(*device.calibration, op).row;
  const double element = element_bytes(op.precision);
  if (row.table.empty() || op.selected > 0 || element < 2 || is_empty(op)) return fused_attention(op, device, share);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  const double pairs = executed_pairs(op, row.block), units = real(device.gpu->compute_units);
  Cost c = attention_work(op, row, pairs, device, share);
  const AttentionKernel kernel{.op = op,
                               .row = row,
                               .units = std::max(1.0, units * share.compute_units),
                               .unit_peak = rate.peak.value / units,
                               .bandwidth = device.gpu->memory_bandwidth.value * share.bandwidth,
                               .keys = std::max(kKeyBlock, pairs / real(op.queries)),
                               .width = head_width(op),
                               .element = element};
  set_time(c, table_seconds(kernel), (c.bytes_read + c.bytes_written) / kernel.bandwidth, device);
  c.model = "table";
  c.provenance = !rate.exact ? Provenance::assumed : inside(kernel) ? row.provenance : Provenance::extrapolated;
  return c;
}

}  // namespace operator_models
