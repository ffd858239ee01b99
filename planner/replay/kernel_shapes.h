// Converts kernels of a trace to operators of the models, by the shapes that the launching operators recorded.
//
// Of a product A B: m rows of A, n columns of B, k between them. A convolution is the GEMM of its unfolded input
// (Chetlur et al., "cuDNN", arXiv:1410.0759, section 3):
//
//     m = images * places of the output      n = channels of the output      k = channels of the input * places of the
//     kernel
//
// for each group of channels. Shapes do not include strides: the forward output is assumed to have as many places as
// the input. With strides above 1 that is too many, on both machines alike.
#pragma once

#include <optional>
#include <string_view>

#include "operator_models/operators.h"
#include "planner/trace/operators.h"

namespace planner::replay {

/// A kernel as an operator.
struct Shaped {
  operator_models::Operator op;
  const trace::Event* by = nullptr;  // the operator of the trace that recorded the shapes
  bool unfolded = false;             // a convolution
};

/// Returns whether operators of this name multiply: whether KernelShapes has a row of them.
bool multiplies(std::string_view name);
/// The input of an operator that it works on: of a product the one behind its bias, else the first.
size_t first_operand(std::string_view name);

class KernelShapes {
 public:
  /// `rank` outlives it.
  explicit KernelShapes(const trace::RankTrace& rank) : rank_(rank), operators_(rank) {}

  /// Returns the operator of the innermost shapes around a kernel's launch; nullopt: none are recorded, or of no
  /// operator that is known here.
  std::optional<Shaped> of(size_t kernel) const;

 private:
  const trace::RankTrace& rank_;
  const trace::Operators operators_;
};

}  // namespace planner::replay
