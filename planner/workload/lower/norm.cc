// A normalisation: one kernel each way, three passes, or a kernel for each operation of its formula.
#include <array>
#include <span>

#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

/// Identical kernels of a norm that is written out. For every element each reads and writes this many values.
struct NormKernels {
  Label operands;
  StepPhase phase;
  double count;
  double read, written;
  enum class NormOperand {
    rows,    // of one value for each row
    narrow,  // of the activations
    wide,    // of fp32
    casts,   // from one to the other, both ways alike: none where they are the same
    biased   // of the activations, if the norm has a bias
  } in = NormOperand::narrow;
  VectorKind kind = VectorKind::elementwise;
};
using NormOperand = NormKernels::NormOperand;

// y = weight * (x - u) / sqrt(s + epsilon) + bias with u = mean(x), s = mean((x - u)^2), x - u computed twice (NVIDIA
// DeepLearningExamples, BERT/modeling.py, BertNonFusedLayerNorm). Forward: two means; s + epsilon and root; two
// differences, square, quotient, product and sum. Backward as PyTorch 1.7 differentiates them (derivatives.yaml): sums
// for bias, weight, root and both u; the gradients of weight * x and of the quotient by what they divide, then of the
// quotient by the root (-g * ((x / r) / r)) and of each difference by u (-g * alpha); products for weight, root and
// each of two equal factors of the square, and three sums of two gradients; of rows the root's (g / (2 r)) and the sum
// for u; means hand their gradient out to all of a row.
constexpr std::array kLayerNorm{
    NormKernels{".sums", StepPhase::forward, 2, 1, 0, NormOperand::narrow, VectorKind::reduction},
    NormKernels{".of-rows", StepPhase::forward, 2, 1, 1, NormOperand::rows},
    NormKernels{".of-one", StepPhase::forward, 5, 1, 1},
    NormKernels{".bias", StepPhase::forward, 1, 1, 1, NormOperand::biased},
    NormKernels{".bias", StepPhase::backward, 1, 1, 0, NormOperand::biased, VectorKind::reduction},
    NormKernels{".of-one", StepPhase::backward, 9, 1, 1},
    NormKernels{".of-two", StepPhase::backward, 7, 2, 1},
    NormKernels{".of-rows", StepPhase::backward, 3, 1, 1, NormOperand::rows},
    NormKernels{".spread", StepPhase::backward, 2, 0, 1},
    NormKernels{".sums", StepPhase::backward, 4, 1, 0, NormOperand::narrow, VectorKind::reduction},
};
constexpr double kLayerNormTerms = 2;  // x - u twice and the quotient are kept where one kernel keeps x

// y = weight * narrow(x * rsqrt(mean(x^2) + epsilon)) with x in fp32 (Hugging Face transformers, modeling_llama.py,
// LlamaRMSNorm). Forward: both casts; power and product in fp32, product with the weight; mean; two of rows. Backward:
// the weight's product, product and sum; casts; of x * r a product each way and a sum; rsqrt's three (-g / 2 * r^3);
// the mean hands out; x^1, times 2, times g of the power; the sum of both ways to x.
constexpr std::array kRmsNorm{
    NormKernels{".casts", StepPhase::forward, 2, 1, 1, NormOperand::casts},
    NormKernels{".sums", StepPhase::forward, 1, 1, 0, NormOperand::wide, VectorKind::reduction},
    NormKernels{".of-rows", StepPhase::forward, 2, 1, 1, NormOperand::rows},
    NormKernels{".of-one", StepPhase::forward, 2, 1, 1, NormOperand::wide},
    NormKernels{".weight", StepPhase::forward, 1, 1, 1},
    NormKernels{".weight", StepPhase::backward, 1, 1, 1},
    NormKernels{".weight-product", StepPhase::backward, 1, 2, 1},
    NormKernels{".weight-sum", StepPhase::backward, 1, 1, 0, NormOperand::narrow, VectorKind::reduction},
    NormKernels{".casts", StepPhase::backward, 2, 1, 1, NormOperand::casts},
    NormKernels{".of-one", StepPhase::backward, 3, 1, 1, NormOperand::wide},
    NormKernels{".of-two", StepPhase::backward, 3, 2, 1, NormOperand::wide},
    NormKernels{".of-rows", StepPhase::backward, 3, 1, 1, NormOperand::rows},
    NormKernels{".spread", StepPhase::backward, 1, 0, 1, NormOperand::wide},
    NormKernels{".sums", StepPhase::backward, 1, 1, 0, NormOperand::wide, VectorKind::reduction},
};

double wide_bytes() { return operand_bytes(Precision::fp32); }

/// Bytes of a value that the kernels read or write; 0 if there are none.
double value_bytes(NormOperand in, double element, bool biased) {
  switch (in) {
    case NormOperand::casts:
      return element == wide_bytes() ? 0 : (element + wide_bytes()) / 2;
    case NormOperand::wide:
      return wide_bytes();
    case NormOperand::biased:
      return biased ? element : 0;
    case NormOperand::rows:
    case NormOperand::narrow:
      break;
  }
  return element;
}

/// The rows that a norm is over.
struct NormRows {
  double count = 1, width = 1;
  Split split;
  double elements() const { return count * width; }
};

void by_operation(const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm, const NormRows& rows) {
  const bool layernorm = shape.model->norm == Norm::layernorm;
  const std::span<const NormKernels> all = layernorm ? std::span<const NormKernels>(kLayerNorm) : kRmsNorm;
  for (const NormKernels& k : all) {
    const double bytes = value_bytes(k.in, shape.element, shape.model->bias);
    if (bytes == 0) continue;
    b.vector(norm.role, norm.name + k.operands, rows.split, k.phase,
             {.kind = k.kind,
              .elements = k.in == NormOperand::rows ? rows.count : rows.elements(),
              .read = k.read * bytes,
              .written = k.written * bytes});
    b.last().count = k.count;
  }
  const double terms = layernorm ? kLayerNormTerms * shape.element : wide_bytes();
  const SavedRole role = norm.input == SavedRole::final_states ? SavedRole::final_terms : SavedRole::norm_terms;
  b.save(role, norm.name + ".terms", terms * rows.elements(), rows.split);
}

void in_passes(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm,
               const NormRows& rows) {
  const double a = shape.element, elements = rows.elements();
  // Unfused: mean, variance and scaling are separate passes over the rows.
  const double passes = s.software.fusion.norm ? 1 : 3;
  // Backward at the forward rate: what calibrations call the backward rate of a norm has the gradients of its weights
  // in it, which are a kernel of their own here.
  b.vector(norm.role, norm.name, rows.split,
           {.kind = VectorKind::normalization,
            .elements = elements,
            .read = passes * a,
            .written = passes * a,
            .flops = 4,
            .width = static_cast<int64_t>(rows.width)},
           {.read = (passes + 1) * a, .written = passes * a, .flops = 4});
  b.vector(norm.role, norm.name + ".gradient", rows.split, StepPhase::backward,
           {.kind = VectorKind::reduction, .elements = elements, .read = 2 * a, .flops = 2});
}

}  // namespace

void lower_norm(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm,
                double rows, Split split, int64_t width) {
  const Fusion& fusion = s.software.fusion;
  const double wide = static_cast<double>(width > 0 ? width : shape.hidden);
  const NormRows over{rows, wide, split};
  if (fusion.norm || fusion.norm_passes || fusion.vector) in_passes(s, shape, b, norm, over);
  else by_operation(shape, b, norm, over);
  b.weight(norm.name, wide * (shape.model->norm == Norm::layernorm && shape.model->bias ? 2 : 1), Split::none);
  b.save(norm.input, norm.name + ".input", shape.element * over.elements(), split);
}

}  // namespace planner
