#include <algorithm>
#include <atomic>
#include <cassert>
#include <span>

#include "operator_models/models.h"
#include "operator_models/row_key.h"

namespace operator_models {
namespace {

/// A precision without figures of its own behaves like the next of its line that has some.
std::span<const Precision> line_of(Precision p) {
  using enum Precision;
  static constexpr Precision kFp32[] = {fp32}, kTf32[] = {tf32, bf16, fp16, fp32}, kFp16[] = {fp16, bf16, tf32, fp32},
                             kBf16[] = {bf16, fp16, tf32, fp32}, kFp8[] = {fp8, mxfp8, bf16, fp16, fp32},
                             kMxfp8[] = {mxfp8, fp8, bf16, fp16, fp32},
                             kNvfp4[] = {nvfp4, mxfp8, fp8, bf16, fp16, fp32};
  switch (p) {
    case fp32:
      return kFp32;
    case tf32:
      return kTf32;
    case fp16:
      return kFp16;
    case bf16:
      return kBf16;
    case fp8:
      return kFp8;
    case mxfp8:
      return kMxfp8;
    case nvfp4:
      return kNvfp4;
  }
  return kFp32;
}

/// The row of this name or "default", else the defaults of the struct.
template <class Row> const Row& row_of(const std::map<std::string, Row>& rows, std::string_view name) {
  static const Row defaults;
  const Row* row = row_named(rows, name);
  if (!row) row = row_named(rows, "default");
  return row ? *row : defaults;
}

/// A few rows: no key is built to look one up.
const GemmCalibration* named_row(const Calibration& calibration, Precision precision) {
  const std::string_view wanted = name(precision);
  for (const auto& [key, row] : calibration.gemm)
    if (key == wanted) return &row;
  return nullptr;
}

}  // namespace

Rate matrix_peak(const hw_profiles::Accelerator& gpu, Precision precision) {
  // A tf32 GEMM without a tf32 unit runs in fp32, not at the 16-bit rate.
  const double share = hw_profiles::compute_share(gpu);
  for (Precision p : line_of(precision)) {
    if (precision == Precision::tf32 && (p == Precision::bf16 || p == Precision::fp16)) continue;
    if (auto peak = gpu.flops.at(p)) return {*peak * share, p == precision};
  }
  return {gpu.vector_flops * share, false};
}

GemmRow gemm_row(const Calibration& calibration, Precision precision) {
  for (Precision p : line_of(precision))
    if (const GemmCalibration* own = named_row(calibration, p)) {
      const GemmCalibration* like = own->like ? named_row(calibration, *own->like) : nullptr;
      return {like ? like : own, p == precision, own};
    }
  static const GemmCalibration defaults;
  return {&defaults, false, &defaults};
}

const GroupedCalibration* grouped_row(const Calibration& calibration, Precision precision) {
  for (Precision p : line_of(precision))
    if (operand_bytes(p) == operand_bytes(precision))
      if (const auto* row = row_named(calibration.grouped, name(p))) return row;
  return nullptr;
}

const VectorCalibration& vector_row(const Calibration& calibration, std::string_view name) {
  return row_of(calibration.vector, name);
}

const VectorCalibration& vector_row(const Device& device, VectorKind kind) {
  std::atomic_ref<const VectorCalibration*> kept(device.vector_rows.found[static_cast<size_t>(kind)]);
  const VectorCalibration* row = kept.load(std::memory_order_acquire);
  if (!row) kept.store(row = &vector_row(*device.calibration, name(kind)), std::memory_order_release);
  return *row;
}

const AttentionCalibration& attention_row(const Calibration& calibration, const std::string& kernel) {
  return row_of(calibration.attention, kernel);
}

AttentionRow attention_row(const Calibration& calibration, const Attention& op) {
  if (op.selected <= 0) return {attention_row(calibration, op.kernel)};
  if (const auto* row = row_named(calibration.attention, kSelectedKernel)) return {*row};
  return {attention_row(calibration, op.kernel), false};
}

const CollectiveCalibration& collective_row(const Device& device, size_t tier, CollectivePart part) {
  assert(tier < device.network->size());
  const auto look_up = [&]() -> const CollectiveCalibration& {
    static const CollectiveCalibration defaults;
    const auto& rows = device.calibration->collective;
    const std::string& tier_name = (*device.network)[tier].name;
    const CollectiveCalibration* row = row_between(rows, tier_name, '-', name(part));
    if (!row && part == CollectivePart::rail) row = row_between(rows, tier_name, '-', name(CollectivePart::send_recv));
    if (!row && part == CollectivePart::dispatch)
      row = row_between(rows, tier_name, '-', name(CollectivePart::all_to_all));
    if (!row) row = row_named(rows, tier_name);
    if (!row) row = row_named(rows, "default");
    return row ? *row : defaults;
  };
  if (tier >= CollectiveRows::kTiers) return look_up();
  // Threads that meet here write the same pointer.
  std::atomic_ref<const CollectiveCalibration*> kept(
      device.collective_rows.found[tier * CollectiveRows::kParts + static_cast<size_t>(part)]);
  const CollectiveCalibration* row = kept.load(std::memory_order_acquire);
  if (!row) kept.store(row = &look_up(), std::memory_order_release);
  return *row;
}

double operand_bytes(Precision p) {
  switch (p) {
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp16:
    case Precision::bf16:
      return 2;
    case Precision::fp8:
    case Precision::mxfp8:
      return 1;
    case Precision::nvfp4:
      return 0.5;
  }
  return 2;
}

double bus_factor(CollectiveKind kind, double ranks) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * (ranks - 1) / ranks;
    case CollectiveKind::broadcast:
      return 1;
    default:
      return (ranks - 1) / ranks;
  }
}

dsl::Seconds launch_of(const Device& device) {
  return device.launch.value > 0 ? device.launch : device.calibration->launch;
}

Cost streaming(dsl::Bytes read, dsl::Bytes written, double efficiency, const Device& device, const Share& share) {
  Cost c;
  c.launch = launch_of(device);
  c.bytes_read = read.value;
  c.bytes_written = written.value;
  dsl::Seconds traffic = (read + written) / (device.gpu->memory_bandwidth * share.bandwidth * efficiency);
  c.seconds = c.launch + traffic;
  c.bound = traffic > c.launch ? Bound::memory : Bound::launch;
  return c;
}

}  // namespace operator_models
