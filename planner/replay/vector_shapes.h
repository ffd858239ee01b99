// Memory-bound kernels of a trace as rows of the tables that `calibrate vector` reads. Their traffic follows from the
// shapes and data types that the launching operators recorded.
//
// An operand counts once, however often kernels read it. Not counted: row statistics of a norm, and the result of a
// reduction. A softmax is over the last dimension, and has its input's type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hw_profiles/types.h"
#include "planner/trace/inputs.h"
#include "planner/trace/operators.h"

namespace planner::replay {

/// The traffic of an operator through its device's memory.
struct Moved {
  std::string_view op;            // as `calibrate vector` calls it: "add", "layernorm", "embedding", "adam"
  int64_t rows = 0, columns = 0;  // elements of the largest operand; a norm's columns are the normalised ones
  hw_profiles::Precision precision = hw_profiles::Precision::fp32;
  bool backward = false;
  double read_bytes = 0, written_bytes = 0;
};

/// Returns the traffic of an operator of PyTorch. `kernel`: one of its launches; for lists of tensors its name gives
/// their type. nullopt: the operator is in no table, or its inputs do not fit.
std::optional<Moved> moved_by(std::string_view name, const std::vector<trace::OperatorInput>& inputs,
                              std::string_view kernel);

/// Returns whether operators of this name are in the table.
bool moves(std::string_view name);

}  // namespace planner::replay
