// Embedding lookups by how often their rows are used again (Lin et al. 2024, section III-E: what decides is how often
// the indices of one batch hit a row). The estimate of the cache's hits is ours:
//
//     H = b D (U + (N - U) max(0, 1 - cache / (b D U)))
//
// N rows of D values of b bytes are looked up, U of them distinct. The first use of a row comes from memory; a further
// one too, but for the share of the distinct rows that the last-level cache holds. Forward reads H and writes the sums
// of the bags; backward reads H and the bags' gradients, and writes H. Indices, and what sorts them, are not counted.
#include <algorithm>

#include "operator_models/models.h"

namespace operator_models {
namespace {

/// The calibration's row `lookup-reuse`, else that of all lookups.
const VectorCalibration& lookup_row(const Calibration& calibration) {
  const bool own = calibration.vector.contains("lookup-reuse");
  return vector_row(calibration, own ? "lookup-reuse" : "lookup");
}

/// H. Without a number of distinct rows, each row is a different one.
double table_bytes(const Lookup& op, double cache) {
  const double row = real(op.width) * op.bytes_per_element, all = real(op.rows);
  const double distinct = op.distinct > 0 ? std::min(op.distinct, all) : all;
  const double missing = std::max(0.0, 1 - cache / (row * distinct));
  return row * (distinct + (all - distinct) * missing);
}

}  // namespace

Cost lookup_reuse(const Lookup& op, const Device& device, const Share& share) {
  const VectorCalibration& row = lookup_row(*device.calibration);
  Cost c;
  if (op.rows > 0 && op.width > 0) {
    const double bags = op.bags > 0 ? op.bags : real(op.rows);
    const dsl::Bytes table{table_bytes(op, device.gpu->cache.value)};
    const dsl::Bytes sums{bags * real(op.width) * op.bytes_per_element};
    const double efficiency = row.efficiency * (op.backward ? row.backward : 1);
    c = streaming(op.backward ? table + sums : table, op.backward ? table : sums, efficiency, device, share);
    c.flops = real(op.rows) * real(op.width);
  }
  set_source(c, "reuse", row);
  return c;
}

}  // namespace operator_models
