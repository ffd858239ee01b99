// The anatomy of a step: which part of a Transformer each operator belongs to.
#pragma once

#include <array>

#include "planner/workload/workload.h"

namespace planner {

/// The parts of Pati 2024, figures 4.1, 4.2 and 4.6 to 4.8, and parts of Transformers that BERT lacks. Every operator
/// belongs to one part. linear and fc: GEMMs, biases, bias gradients and additions of gradients. attention-gemm: the
/// batched GEMMs or the fused kernel. softmax: scale, mask, softmax and dropout. heads: operators between projections
/// and attention. residual: dropout, addition and norm.
inline constexpr std::array kParts{"embedding", "linear",     "heads",        "attention-gemm", "softmax",
                                   "fc",        "activation", "residual",     "experts",        "output",
                                   "fixed",     "optimizer",  "communication"};

/// Returns the part of an operator, one of kParts.
const char* part_of(const WorkOp& op);

}  // namespace planner
