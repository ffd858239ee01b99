// The optimizer near memory (Pati 2024, chapter 6): what would stream over the parameters becomes commands to the units
// at the banks. What another memory holds - the host's share of the states - stays there.
#include <variant>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

using operator_models::NearUpdate;

/// A kernel of the GPU over the parameters as the units see it. A reduction squares and adds each value: one command on
/// registers, of which a sum over all parameters comes.
Update pass_over(const Vector& v) {
  const bool sums = v.kind == VectorKind::reduction;
  return {.algorithm = operator_models::name(v.kind),
          .parameters = v.elements,
          .read_bytes = v.read.value / v.elements,
          .written_bytes = v.written.value / v.elements,
          .flops_per_parameter = v.flops_per_element,
          .register_commands = sums ? 1.0 : 0.0,
          .sums = sums ? 1 : 0,
          .over_all = sums};
}

void move(WorkOp& w, bool keeps_norm) {
  if (w.sublayer != Sublayer::optimizer) return;
  Update pass;
  if (const auto* update = std::get_if<Update>(&w.op)) pass = *update;
  else if (const auto* vector = std::get_if<Vector>(&w.op); vector && vector->elements > 0) pass = pass_over(*vector);
  else return;
  if (keeps_norm && pass.over_all) return;
  w.op = NearUpdate{pass};
}

}  // namespace

void apply_near_memory(const Scenario& s, Workload& w) {
  const OptimizerOn on = s.software.optimizer_on;
  if (on == OptimizerOn::gpu) return;
  for (StageClass& c : w.classes)
    for (WorkOp& op : c.step_ops) move(op, on == OptimizerOn::near_memory_but_norm);
}

}  // namespace planner
