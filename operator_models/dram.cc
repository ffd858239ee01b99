#include "operator_models/dram.h"

#include <algorithm>

#include "operator_models/models.h"

namespace operator_models {
namespace {

DramBytes by_kernels(CollectiveKind kind, double ranks, double chunk) {
  const double others = (ranks - 1) * chunk;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {(2 * ranks - 1) * chunk + others, ranks * chunk + others};
    case CollectiveKind::reduce_scatter:
      return {(2 * ranks - 1) * chunk, ranks * chunk};
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return {others, others};
    case CollectiveKind::broadcast:
      break;
  }
  return {ranks * chunk, ranks * chunk};
}

DramBytes by_stores(CollectiveKind kind, double ranks, double chunk, bool straight) {
  const bool sent_on = !straight && kind == CollectiveKind::reduce_scatter;
  return {sent_on ? std::max(0.0, ranks - 2) * chunk : 0, (ranks - 1) * chunk};
}

/// An operand of a GEMM, and the tiles of the result along its side.
struct OperandSide {
  double bytes = 0, tiles = 1;
};

OperandSide side_of(const Gemm& op, int64_t length, double element, int64_t tile) {
  const double n = real(length);
  return {real(op.k) * n * element, std::max(1.0, n / real(tile))};
}

/// Bytes of the operand along n that are read again, of one matrix of the batch. `result`: bytes stored and cached.
double read_again(const OperandSide& along_m, const OperandSide& along_n, double result, double units, double cache) {
  const double rows = std::clamp(units / along_n.tiles, 1.0, along_m.tiles);  // of tiles that stages walk along at once
  const double part = rows / along_m.tiles, needed = along_n.bytes + part * (along_m.bytes + result);
  const double missed = std::max(0.0, 1 - cache / needed);
  return (1 / part - 1) * missed * along_n.bytes;
}

/// The part of its result that a GEMM stores into its own memory: all but the first chunk where a ring moves them on.
double stored_at_home(const Forwarded& to) {
  if (to.ranks <= 1) return 1;
  return to.straight ? 1 / to.ranks : 1 - 1 / to.ranks;
}

}  // namespace

DramBytes dram_of(const Collective& op, MovedBy by) {
  const double ranks = real(op.group.ranks);
  if (ranks <= 1) return {};
  const double chunk = op.bytes.value / ranks;
  if (by == MovedBy::kernels) return by_kernels(op.kind, ranks, chunk);
  return by_stores(op.kind, ranks, chunk, by == MovedBy::straight_stores);
}

DramBytes dram_of(const Gemm& op, const Device& device, const Forwarded& to) {
  const GemmCalibration& row = *gemm_row(*device.calibration, op.precision).row;
  const int64_t tile_m = row.tile_m.empty() ? 128 : row.tile_m.front();
  const int64_t tile_n = row.tile_n.empty() ? 128 : row.tile_n.front();
  const OperandSide a = side_of(op, op.m, op.a_bytes, tile_m), b = side_of(op, op.n, op.b_bytes, tile_n);
  const double batch = real(op.batch);
  const double result = real(op.m) * real(op.n) * op.c_bytes;
  const double cached = to.ranks > 1 ? 0 : result, units = std::max<double>(1, real(device.gpu->compute_units));
  const double again = read_again(a, b, cached, units, device.gpu->cache.value);
  return {batch * (a.bytes + b.bytes + again + (op.accumulate ? result : 0)), batch * result * stored_at_home(to)};
}

}  // namespace operator_models
