// What passes divide in an operator: its dimensions, identified by what they count, across all operators.
#pragma once

#include <array>
#include <cstdint>

#include "planner/workload/workload.h"

namespace planner {

/// Places of an operator's sizes; null where it has none. An operator without a row in dimensions.cc does not compile.
struct Dimensions {
  int64_t* batch = nullptr;   // matrix products of one call: experts, or heads of sequences
  int64_t* tokens = nullptr;  // rows: of a product's activations, of a lookup
  int64_t* in = nullptr;      // features of a linear layer's input and output
  int64_t* out = nullptr;
  std::array<int64_t*, 2> heads{};             // of queries; of keys and values
  operator_models::Vector* traffic = nullptr;  // elements and bytes, in proportion
  dsl::Bytes* message = nullptr;
};
/// Finds them. A GEMM is as workloads write it (m = out, n = rows, k = in); tokens, in and out lie elsewhere in its
/// gradients.
Dimensions dimensions_of(WorkOp& op);

/// Change the elements and bytes of a kernel by a factor.
void multiply(operator_models::Vector& kernel, double by);
void divide(operator_models::Vector& kernel, double by);

}  // namespace planner
