// Experts that the software does not group run one after the other: a GEMM each, and a cast of each one's operands.
#include "planner/workload/dimensions.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

void ungroup(WorkOp& w, double experts) {
  const Dimensions d = dimensions_of(w);
  operator_models::Vector* v = d.traffic;
  if (d.batch) {
    *d.batch = 1;
    std::get<operator_models::Gemm>(w.op).grouped = false;
  } else if (v && v->kind == operator_models::VectorKind::cast) {
    v->elements /= experts;
    v->read = (1 / experts) * v->read;
    v->written = (1 / experts) * v->written;
  } else {
    return;
  }
  w.count *= experts;
}

}  // namespace

void apply_ungroup(const Scenario& s, Workload& w) {
  if (s.software.experts.grouped || s.model.experts.count == 0) return;
  const double experts = static_cast<double>(s.model.experts.count / s.parallelism.ep);
  for (Block& block : w.blocks)
    for (WorkOp& op : block.ops)
      if (op.routed) ungroup(op, experts);
}

}  // namespace planner
