#include <array>
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
  static constexpr std::span<const Precision> kLines[] = {kFp32, kTf32, kFp16, kBf16, kFp8, kMxfp8, kNvfp4};
  static_assert(std::size(kLines) == hw_profiles::kPrecisionNames.size());
  return kLines[static_cast<size_t>(p)];
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
    if (const GemmCalibration* own = row_named(calibration.gemm, name(p))) {
      const GemmCalibration* like = own->like ? row_named(calibration.gemm, name(*own->like)) : nullptr;
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
  return row_or_defaults(calibration.vector, name, "default");
}

const VectorCalibration& vector_row(const Device& device, VectorKind kind) {
  std::atomic_ref<const VectorCalibration*> kept(device.vector_rows.found[static_cast<size_t>(kind)]);
  const VectorCalibration* row = kept.load(std::memory_order_acquire);
  if (!row) kept.store(row = &vector_row(*device.calibration, name(kind)), std::memory_order_release);
  return *row;
}

const AttentionCalibration& attention_row(const Calibration& calibration, const std::string& kernel) {
  return row_or_defaults(calibration.attention, kernel, "default");
}

AttentionRow attention_row(const Calibration& calibration, const Attention& op) {
  if (op.selected <= 0) return {attention_row(calibration, op.kernel)};
  if (const auto* row = row_named(calibration.attention, kSelectedKernel)) return {*row};
  return {attention_row(calibration, op.kernel), false};
}

const CollectiveCalibration& collective_row(const Device& device, size_t tier, CollectivePart part) {
  assert(tier < device.network->size());
  const auto look_up = [&]() -> const CollectiveCalibration& {
    const auto& rows = device.calibration->collective;
    const std::string& tier_name = (*device.network)[tier].name;
    const CollectiveCalibration* row = row_between(rows, tier_name, '-', name(part));
    if (!row && part == CollectivePart::rail) row = row_between(rows, tier_name, '-', name(CollectivePart::send_recv));
    if (!row && part == CollectivePart::dispatch)
      row = row_between(rows, tier_name, '-', name(CollectivePart::all_to_all));
    return row ? *row : row_or_defaults(rows, tier_name, "default");
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
  static constexpr std::array kBytes{4.0, 4.0, 2.0, 2.0, 1.0, 1.0, 0.5};
  static_assert(kBytes.size() == hw_profiles::kPrecisionNames.size());
  return kBytes[static_cast<size_t>(p)];
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
