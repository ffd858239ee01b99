#include "planner/plan/dram.h"

#include <map>

namespace planner {
namespace {

using operator_models::Collective;
using operator_models::DramBytes;
using operator_models::Gemm;

bool by_hardware(const Scenario& s) {
  return s.software.fused_collectives == FusedCollectives::t3 ||
         s.software.fused_collectives == FusedCollectives::t3_mca;
}

bool stored_by_gemm(const Scenario& s, const CostedOp& op) { return op.work->hide == Hide::fused && by_hardware(s); }

/// GEMMs whose stores go to other ranks, and to how many.
std::map<const WorkOp*, double> forwarded(const Scenario& s, const std::vector<CostedOp>& ops) {
  std::map<const WorkOp*, double> to;
  for (const CostedOp& op : ops) {
    const auto* c = std::get_if<Collective>(&op.work->op);
    if (c && stored_by_gemm(s, op))
      to[ops[static_cast<size_t>(op.work->cover)].work] = static_cast<double>(c->group.ranks);
  }
  return to;
}

}  // namespace

std::vector<DramBytes> dram_of(const Scenario& s, const std::vector<CostedOp>& ops) {
  const auto to = forwarded(s, ops);
  const operator_models::Device device = device_of(s);
  std::vector<DramBytes> all;
  for (const CostedOp& op : ops) {
    const auto* gemm = std::get_if<Gemm>(&op.work->op);
    const auto* collective = std::get_if<Collective>(&op.work->op);
    const auto found = to.find(op.work);
    if (gemm) all.push_back(operator_models::dram_of(*gemm, device, found == to.end() ? 1 : found->second));
    else if (collective) all.push_back(operator_models::dram_of(*collective, stored_by_gemm(s, op)));
    else all.push_back({op.cost.bytes_read, op.cost.bytes_written});
  }
  return all;
}

}  // namespace planner
