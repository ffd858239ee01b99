// The models themselves, one file per kind; the registry makes them rows.
//
// REQUIRES of all: nonnegative shapes, a device whose three pointers are set and whose peaks and
// bandwidths are positive. An operator without elements costs nothing. No result is NaN, infinite
// or negative; more peak or more bandwidth never slows an operator.
#pragma once

#include "operator_models/cost.h"

namespace operator_models {

/// Corrections of the waves on a grid of m, n and k; the waves alone outside it (gemm_table.cc).
Cost gemm_table(const Gemm& op, const Device& device, const Share& share);
/// Tiles in waves over the compute units; the tile and the split of k that take least time (gemm_wave.cc).
Cost gemm_wave(const Gemm& op, const Device& device, const Share& share);
/// max(flop / (e * peak), bytes / (b * bandwidth)): Williams et al., "Roofline", CACM 2009.
Cost gemm_roofline(const Gemm& op, const Device& device, const Share& share);
/// flop / (e * peak): each GEMM in proportion to its FLOP, as Pati 2024 projects them (5.3.2.2, step 2.b).
Cost gemm_proportional(const Gemm& op, const Device& device, const Share& share);
/// Executed FLOPs at the kernel's share of the peak (attention.cc).
Cost fused_attention(const Attention& op, const Device& device, const Share& share);
/// executed FLOP / (e * peak), whatever the lengths, heads and workgroups (as gemm_proportional).
Cost attention_proportional(const Attention& op, const Device& device, const Share& share);
/// Measured efficiency by head width, keys and work; else as fused_attention (attention_table.cc).
Cost attention_table(const Attention& op, const Device& device, const Share& share);
/// Roofline of a recurrent mixer's chunks, or the pass over their states (scan.cc).
Cost scan(const Scan& op, const Device& device, const Share& share);
/// Scores of narrow heads, and the largest of each query (selection.cc).
Cost selection(const Selection& op, const Device& device, const Share& share);
/// launch + bytes / (efficiency * bandwidth).
Cost vector_kernel(const Vector& op, const Device& device, const Share& share);
Cost lookup(const Lookup& op, const Device& device, const Share& share);
/// Rows that are looked up again come out of the last-level cache as far as it holds them (lookup.cc).
Cost lookup_reuse(const Lookup& op, const Device& device, const Share& share);
Cost update(const Update& op, const Device& device, const Share& share);
/// alpha-beta of rings, trees and switches over the tiers of the network (collective.cc).
Cost collective_alpha_beta(const Collective& op, const Device& device, const Share& share);
Cost send_recv(const SendRecv& op, const Device& device, const Share& share);
/// Measured times, interpolated between sizes and numbers of ranks; alpha-beta outside the table (collective_table.cc).
Cost collective_table(const Collective& op, const Device& device, const Share& share);
Cost send_recv_table(const SendRecv& op, const Device& device, const Share& share);
/// Latency, sigmoid, bandwidth (Lin et al., 2024, section IV-A); alpha-beta if there is no curve
/// (collective_region.cc).
Cost collective_three_region(const Collective& op, const Device& device, const Share& share);
Cost send_recv_three_region(const SendRecv& op, const Device& device, const Share& share);
/// base + bytes / (efficiency * bandwidth) of the host link, and the host's memory traffic (host.cc).
/// REQUIRES where there is anything to move: a host with bandwidth.
Cost host_copy(const HostCopy& op, const Device& device, const Share& share);
Cost host_update(const HostUpdate& op, const Device& device, const Share& share);
/// Commands of the memory (update.cc). REQUIRES where there are parameters: a device with units near memory.
Cost near_update(const NearUpdate& op, const Device& device, const Share& share);
/// Identical GEMMs on one device with all streams busy (concurrency.h), by how they share it.
Cost gemms_by_default(const ConcurrentGemms& op, const Device& device, const Share& share);
Cost gemms_tuned(const ConcurrentGemms& op, const Device& device, const Share& share);
Cost gemms_by_oracle(const ConcurrentGemms& op, const Device& device, const Share& share);

/// A measured operator of the calibration's base iteration, scaled by its algorithmic work (baseline.cc); the default
/// model if the base has none of its kind.
Cost gemm_baseline(const Gemm& op, const Device& device, const Share& share);
Cost vector_baseline(const Vector& op, const Device& device, const Share& share);
Cost lookup_baseline(const Lookup& op, const Device& device, const Share& share);
Cost collective_baseline(const Collective& op, const Device& device, const Share& share);

// --- rates.cc: lookups for the models ---

/// Bytes of one element of a GEMM's operand (fp32 and tf32: 4).
double operand_bytes(Precision precision);

/// What each rank sends in a collective over its size, as nccl-tests counts it (PERFORMANCE.md).
double bus_factor(CollectiveKind kind, double ranks);

/// The device's peak at a precision, or at the nearest precision that it has (`exact` false).
struct Rate {
  dsl::FlopsPerSecond peak;
  bool exact = true;
};
Rate matrix_peak(const hw_profiles::Accelerator& gpu, Precision precision);

/// The calibration's row for a precision, or the nearest one's; never null.
struct GemmRow {
  const GemmCalibration* row = nullptr;
  bool exact = true;
  const GemmCalibration* own = nullptr;  // the precision's own row: differs from `row` if that is `like` another
};
GemmRow gemm_row(const Calibration& calibration, Precision precision);

/// Returns the row of kernels for all experts of a rank, at this precision or another of its width. Null: no row.
const GroupedCalibration* grouped_row(const Calibration& calibration, Precision precision);

/// Row `name`, else row "default", else the defaults of the struct (whose provenance is "assumed").
const VectorCalibration& vector_row(const Calibration& calibration, std::string_view name);
/// The same for a kernel; looked up once per device.
const VectorCalibration& vector_row(const Device& device, VectorKind kind);
const AttentionCalibration& attention_row(const Calibration& calibration, const std::string& kernel);
/// Kernels that gather keys are a row of their own, whatever the kernel of all keys is.
inline constexpr const char* kSelectedKernel = "selected";
/// The row of an operator; `exact` false: it gathers keys, and the calibration has figures of other kernels only.
struct AttentionRow {
  const AttentionCalibration& row;
  bool exact = true;
};
AttentionRow attention_row(const Calibration& calibration, const Attention& op);
/// The row of a rule, or of the choice of keys, else the defaults of the struct.
const ScanCalibration& scan_row(const Calibration& calibration, ScanRule rule);
const SelectionCalibration& selection_row(const Calibration& calibration);
/// Rows of a collective on a tier: the kinds of collectives, in order, and four more.
enum class CollectivePart {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  in_switch,
  send_recv,
  rail,
  dispatch
};
inline constexpr std::array kCollectivePartNames{"all-reduce", "all-gather", "reduce-scatter",
                                                 "all-to-all", "broadcast",  "in-switch",
                                                 "send-recv",  "rail",       "dispatch"};
inline const char* name(CollectivePart p) { return kCollectivePartNames[static_cast<size_t>(p)]; }
inline CollectivePart part_of(const Collective& op) {
  return op.dealt ? CollectivePart::dispatch : static_cast<CollectivePart>(op.kind);
}
inline bool is_message(CollectivePart p) { return p == CollectivePart::send_recv || p == CollectivePart::rail; }
/// Row "TIER-PART" (of a rail else "TIER-send-recv", of a dispatch "TIER-all-to-all"), else "TIER", else "default",
/// else the defaults of the struct; looked up once per device. REQUIRES: tier < number of tiers.
const CollectiveCalibration& collective_row(const Device& device, size_t tier, CollectivePart part);

/// One kernel: the software profile's figure, or the calibration's where it has none.
dsl::Seconds launch_of(const Device& device);

/// A kernel bound by memory traffic: launch + bytes / (efficiency * bandwidth).
Cost streaming(dsl::Bytes read, dsl::Bytes written, double efficiency, const Device& device, const Share& share);

}  // namespace operator_models
