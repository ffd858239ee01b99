// The activation between two linear layers: one kernel, or one for each operation of its formula.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

// GeLU(x) = x * 1/2 * (1 + erf(x / sqrt 2)) (Pati 2024, equation 4.1), each operation a kernel. Forward: quotient, erf,
// sum with 1 and half, then the product. Backward, as PyTorch differentiates them (derivatives.yaml: erf' is
// 2/sqrt(pi) * exp(-x^2) * gradient): half, square, negation, exp, scale and quotient of one operand each; the
// product's two gradients, erf's product and the sum over both ways to x of two.
void separate_gelu(const MicrobatchShape& shape, BlockBuilder& b, Role role, const Label& name, double elements,
                   Split split) {
  const double a = shape.element;
  auto kernels = [&](const Label& operands, StepPhase phase, double read, double count) {
    b.vector(role, name + operands, split, phase, {.elements = elements, .read = read, .written = a});
    b.last().count = count;
  };
  const Strands x = b.flow().here();
  kernels(".of-one", StepPhase::forward, a, 4);
  b.flow().join(x);
  kernels(".of-two", StepPhase::forward, 2 * a, 1);
  kernels(".of-one", StepPhase::backward, a, 6);
  kernels(".of-two", StepPhase::backward, 2 * a, 4);
  // x / sqrt 2, x / 2 and 1 + erf are kept where one kernel keeps x.
  b.save(SavedRole::activation_terms, name + ".terms", 2 * a * elements, split);
}

void separate_gate(const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp, double elements) {
  const double a = shape.element;
  const Strands hidden = b.flow().here();
  b.vector(Role::activation, mlp.name + ".activation", Split::column,
           {.kind = VectorKind::activation, .elements = elements, .read = a, .written = a, .flops = 8},
           {.read = 2 * a, .written = a, .flops = 12, .backward = true});
  b.flow().join(hidden);
  b.vector(Role::gate, mlp.name + ".gate", Split::column, {.elements = elements, .read = 2 * a, .written = a},
           {.read = 3 * a, .written = 2 * a});
  b.save(SavedRole::activation, mlp.name + ".activation", a * elements, Split::column);
}

// Both halves are split, clamped and joined; two kernels each way read and write them. Clamps keep their inputs.
void separate_clamp(const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp, double elements) {
  const double a = shape.element;
  const Label name = mlp.name + ".clamp";
  b.vector(Role::activation, name, Split::column, StepPhase::forward, {.elements = elements, .read = a, .written = a});
  b.last().count = 2;
  b.vector(Role::activation, name, Split::column, StepPhase::backward,
           {.elements = elements, .read = 1.5 * a, .written = a});
  b.last().count = 2;
  b.save(SavedRole::activation_terms, name + ".input", a * elements, Split::column);
}

}  // namespace

void lower_function(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, Role role, const Label& name,
                    double elements, Split split, double inputs) {
  if (!s.software.fusion.activation && !s.software.fusion.vector && shape.model->activation == Activation::gelu &&
      inputs == 1)
    return separate_gelu(shape, b, role, name, elements, split);
  const double a = shape.element;
  b.vector(role, name, split,
           {.kind = VectorKind::activation, .elements = elements, .read = inputs * a, .written = a, .flops = 9},
           {.read = (inputs + 1) * a, .written = inputs * a, .flops = 14, .backward = true});
}

void lower_activation(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp) {
  const double a = shape.element, elements = mlp.rows * static_cast<double>(mlp.experts * mlp.ffn);
  const double inputs = shape.model->gated_mlp ? 2 : 1;
  if (shape.model->clamp > 0 && !s.software.fusion.clamp) separate_clamp(shape, b, mlp, inputs * elements);
  if (shape.model->gated_mlp && !s.software.fusion.bias_activation) separate_gate(shape, b, mlp, elements);
  else lower_function(s, shape, b, Role::activation, mlp.name + ".activation", elements, Split::column, inputs);
  const double hidden = s.software.memory.hidden > 0 ? std::min(a, s.software.memory.hidden) : a;
  b.save(SavedRole::hidden, mlp.name + ".hidden", inputs * hidden * elements, Split::column);
  b.save(SavedRole::activated, mlp.name + ".output", shape.saved_input * elements, Split::column);
  // The gradient of the product has the place of the product, which the second matrix has read.
  b.moment(mlp.name + ".activation", StepPhase::backward,
           {{.name = "hidden-gradient", .bytes = inputs * a * elements, .split = Split::column},
            {.name = "residual-gradient",
             .bytes = a * shape.tokens * static_cast<double>(shape.hidden),
             .split = Split::sequence}});
}

}  // namespace planner
