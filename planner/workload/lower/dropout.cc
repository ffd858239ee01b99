// Dropout: one kernel each way that writes and reads a mask, or a kernel for each operation, as TensorFlow writes it
// (nn_ops.py, dropout_v2). Forward: 32-bit random numbers, their comparison, the cast of its result, the scaled input
// and its product with the mask; backward the two products.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

constexpr double kRandom = 4, kCompared = 1;  // bytes

void separate(const MicrobatchShape& shape, BlockBuilder& b, const Dropout& d, StepPhase phase) {
  const double a = shape.element;
  const bool forward = phase == StepPhase::forward;
  const double kernels = forward ? 5 : 2;
  const double read = forward ? kRandom + kCompared + 3 * a : 3 * a;
  const double written = forward ? kRandom + kCompared + 3 * a : 2 * a;
  b.vector(d.role, d.name, d.split, phase,
           {.elements = d.elements, .read = read / kernels, .written = written / kernels});
  b.last().count = kernels;
}

}  // namespace

void lower_dropout(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Dropout& d,
                   StepPhase phase) {
  if (!s.software.fusion.dropout && !s.software.fusion.vector) return separate(shape, b, d, phase);
  const double a = shape.element, mask = s.software.memory.dropout_mask;
  VectorSpec spec{.kind = VectorKind::dropout, .elements = d.elements, .read = a, .written = a + mask, .flops = 2};
  if (phase == StepPhase::backward)
    spec = {.kind = VectorKind::dropout, .elements = d.elements, .read = a + mask, .written = a};
  b.vector(d.role, d.name, d.split, phase, spec);
}

void lower_dropout(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Dropout& d, SavedRole mask) {
  lower_dropout(s, shape, b, d, StepPhase::forward);
  lower_dropout(s, shape, b, d, StepPhase::backward);
  b.save(mask, d.name + "-mask", s.software.memory.dropout_mask * d.elements, d.split);
}

}  // namespace planner
