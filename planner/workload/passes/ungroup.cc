// Experts that the software does not group run one after the other: a GEMM each, and a cast of each one's operands.
#include <variant>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

using operator_models::Gemm;
using operator_models::Vector;

void ungroup(WorkOp& w, double experts) {
  auto* v = std::get_if<Vector>(&w.op);
  if (auto* g = std::get_if<Gemm>(&w.op)) {
    g->batch = 1;
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
