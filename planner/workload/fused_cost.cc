#include "planner/workload/fused_cost.h"

#include <algorithm>
#include <cassert>

#include "operator_models/fused_collective.h"

namespace planner {
namespace {

using operator_models::Collective;
using operator_models::Gemm;

/// A GEMM as long as a call of the collective has to do with it.
struct Pair {
  const Scenario& s;
  const operator_models::Device& device;
  const Gemm& gemm;
  const Collective& collective;
  double gemm_seconds = 0, seconds = 0;  // of each by itself
  double parts = 1;                      // in which the GEMM writes its result
};

/// Without the sum of the last chunk by compute units.
double near_memory_seconds(const Pair& p) {
  return std::max(0.0, p.seconds - operator_models::last_reduction_seconds(p.collective, p.device));
}

double slowed_gemm(const Pair& p, double kappa) {
  const hw_profiles::Accelerator& gpu = p.s.cluster.gpu;
  if (operator_models::inputs_fit(p.gemm, gpu)) return p.gemm_seconds;
  const double traffic = operator_models::fused_traffic(p.collective, gpu.near_memory.op_and_store);
  return p.gemm_seconds + kappa * traffic / gpu.memory_bandwidth.value;
}

double by_hardware(const Pair& p, double kappa) {
  const double gemm = slowed_gemm(p, kappa), moved = near_memory_seconds(p);
  if (p.collective.kind == operator_models::CollectiveKind::all_to_all)
    return operator_models::streamed_seconds(gemm, moved, p.parts);
  const int64_t ranks = p.collective.group.ranks;
  return operator_models::staged_seconds(gemm, {ranks, moved / static_cast<double>(ranks - 1)});
}

double together(const Pair& p, double beside) {
  const operator_models::FusedCalibration& row = p.s.calibration.fused;
  switch (p.s.software.fused_collectives) {
    case FusedCollectives::none:
      break;
    case FusedCollectives::ideal:
      return std::max(p.gemm_seconds, p.seconds);
    case FusedCollectives::ideal_nmc:
      return std::max(p.gemm_seconds, near_memory_seconds(p));
    case FusedCollectives::t3:
      return by_hardware(p, row.t3);
    case FusedCollectives::t3_mca:
      return by_hardware(p, row.t3_mca);
    case FusedCollectives::cu_split:
      return std::max(beside, p.seconds * operator_models::few_units_factor(
                                              static_cast<double>(p.s.software.collective_units), row.units));
  }
  return p.gemm_seconds + p.seconds;
}

}  // namespace

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
  const Pair pair{.s = s,
                  .device = device,
                  .gemm = *product,
                  .collective = *moved,
                  .gemm_seconds = calls * gemm.cost.seconds.value,
                  .seconds = collective.cost.seconds.value,
                  .parts = std::max(1.0, gemm.cost.waves)};
  return together(pair, calls * beside) - pair.gemm_seconds;
}

}  // namespace planner
