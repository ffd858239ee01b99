#include "planner/workload/fused_cost.h"

#include <algorithm>
#include <cassert>

#include "operator_models/collective.h"
#include "operator_models/dram.h"
#include "operator_models/fused_collective.h"

namespace planner {
namespace {

/// A GEMM as long as a call of the collective has to do with it.
struct FusedPair {
  const Scenario& s;
  const operator_models::Device& device;
  const Gemm& gemm;
  const Collective& collective;
  double gemm_seconds = 0, seconds = 0;  // of each alone
  double parts = 1;                      // in which the GEMM writes its result
  double reads = 0;                      // seconds of the GEMM's reads from memory
  bool straight = false;                 // each part goes straight to the rank that owns it
};

/// Without the sum of the last chunk by compute units.
double near_memory_seconds(const FusedPair& p) {
  return std::max(0.0, p.seconds - operator_models::last_reduction_seconds(p.collective, p.device));
}

/// What the GEMM loses to the traffic of the collective beside it.
double lost_seconds(const FusedPair& p) {
  const hw_profiles::Accelerator& gpu = p.s.cluster.gpu;
  const operator_models::FusedCalibration& row = p.s.calibration.fused;
  if (operator_models::inputs_fit(p.gemm, gpu)) return 0;
  const double traffic = operator_models::fused_traffic(p.collective, gpu.near_memory.op_and_store, p.straight);
  const double to_bursts = row.t3 * traffic / gpu.memory_bandwidth.value;
  if (p.s.software.fused_collectives != FusedCollectives::t3_mca) return to_bursts;
  return std::min(to_bursts, row.t3_mca * p.reads);
}

double by_hardware(const FusedPair& p) {
  const double gemm = p.gemm_seconds + lost_seconds(p), moved = near_memory_seconds(p);
  if (p.straight) {
    const operator_models::Path path = operator_models::path_of(p.collective.group, p.s.cluster.network);
    return operator_models::streamed_seconds(gemm, {moved, std::min(moved, path.latency.value), p.parts});
  }
  const int64_t ranks = p.collective.group.ranks;
  return operator_models::staged_seconds(gemm, {ranks, moved / static_cast<double>(ranks - 1)});
}

double together(const FusedPair& p, double beside) {
  switch (p.s.software.fused_collectives) {
    case FusedCollectives::none:
      break;
    case FusedCollectives::ideal:
      return std::max(p.gemm_seconds, p.seconds);
    case FusedCollectives::ideal_nmc:
      return std::max(p.gemm_seconds, near_memory_seconds(p));
    case FusedCollectives::t3:
    case FusedCollectives::t3_mca:
      return by_hardware(p);
    case FusedCollectives::cu_split:
      return std::max(beside,
                      p.seconds * operator_models::few_units_factor(static_cast<double>(p.s.software.collective_units),
                                                                    p.s.calibration.fused.units));
  }
  return p.gemm_seconds + p.seconds;
}

}  // namespace

bool sent_by_hardware(const Scenario& s) {
  return s.software.fused_collectives == FusedCollectives::t3 ||
         s.software.fused_collectives == FusedCollectives::t3_mca;
}

operator_models::Share left_to_gemms(const Scenario& s) {
  const double units = static_cast<double>(s.cluster.gpu.compute_units);
  return {.compute_units = std::max(1.0, units - static_cast<double>(s.software.collective_units)) / units};
}

double fused_exposed(const Scenario& s, const operator_models::Device& device, const CostedOp& gemm,
                     const CostedOp& collective, double beside) {
  const auto* product = std::get_if<Gemm>(&gemm.work->op);
  const auto* moved = std::get_if<Collective>(&collective.work->op);
  assert(product && moved && "only GEMMs and collectives are fused");
  if (!product || !moved || collective.cost.seconds.value <= 0) return 0;
  const double calls = gemm.work->count / collective.work->count;
  const bool straight = operator_models::goes_straight(*moved, device);
  const operator_models::Forwarded to{static_cast<double>(moved->group.ranks), straight};
  const FusedPair pair{
      .s = s,
      .device = device,
      .gemm = *product,
      .collective = *moved,
      .gemm_seconds = calls * gemm.cost.seconds.value,
      .seconds = collective.cost.seconds.value,
      .parts = std::max(1.0, calls * gemm.cost.waves),
      .reads = calls * operator_models::dram_of(*product, device, to).read / s.cluster.gpu.memory_bandwidth.value,
      .straight = straight};
  return together(pair, calls * beside) - pair.gemm_seconds;
}

}  // namespace planner
