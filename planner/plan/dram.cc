#include "planner/plan/dram.h"

#include <map>

#include "operator_models/collective.h"
#include "planner/workload/fused_cost.h"

namespace planner {
namespace {

using operator_models::DramBytes;
using operator_models::Forwarded;
using operator_models::MovedBy;

MovedBy mover_of(const Scenario& s, const operator_models::Device& device, const CostedOp& op, const Collective& c) {
  if (op.work->hide != Hide::fused || !sent_by_hardware(s)) return MovedBy::kernels;
  return operator_models::goes_straight(c, device) ? MovedBy::straight_stores : MovedBy::ring_of_stores;
}

/// GEMMs whose stores go to other ranks, and how.
std::map<const WorkOp*, Forwarded> forwarded(const Scenario& s, const operator_models::Device& device,
                                             const std::vector<CostedOp>& ops) {
  std::map<const WorkOp*, Forwarded> to;
  for (const CostedOp& op : ops) {
    const auto* c = std::get_if<Collective>(&op.work->op);
    const MovedBy by = c ? mover_of(s, device, op, *c) : MovedBy::kernels;
    if (by != MovedBy::kernels)
      to[ops[static_cast<size_t>(op.work->cover)].work] = {static_cast<double>(c->group.ranks),
                                                           by == MovedBy::straight_stores};
  }
  return to;
}

}  // namespace

std::vector<DramBytes> dram_of(const Scenario& s, const std::vector<CostedOp>& ops) {
  const operator_models::Device device = device_of(s);
  const auto to = forwarded(s, device, ops);
  std::vector<DramBytes> all;
  for (const CostedOp& op : ops) {
    const auto* gemm = std::get_if<Gemm>(&op.work->op);
    const auto* collective = std::get_if<Collective>(&op.work->op);
    const auto found = to.find(op.work);
    if (gemm) all.push_back(operator_models::dram_of(*gemm, device, found == to.end() ? Forwarded{} : found->second));
    else if (collective) all.push_back(operator_models::dram_of(*collective, mover_of(s, device, op, *collective)));
    else all.push_back({op.cost.bytes_read, op.cost.bytes_written});
  }
  return all;
}

}  // namespace planner
