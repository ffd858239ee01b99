// The inputs of an operator as PyTorch's profiler writes them: "[[128, 48], [], [[2], [3, 4]]]" and
// "['float', 'Scalar', 'TensorList']".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planner::trace {

using Shape = std::vector<int64_t>;  // no sizes: a single number

/// One input: a tensor, or several where the operator takes a list of them.
struct OperatorInput {
  std::vector<Shape> tensors;
  std::string type;  // "float", "TensorList"; "": not said
};

/// Returns the inputs, in their order; none: the text is no such list, or holds a number that is no size.
std::vector<OperatorInput> inputs_of(std::string_view shapes, std::string_view types);

/// Returns the numbers that a tensor holds.
double elements_of(const Shape& shape);

/// Returns the bytes of all tensors whose type is known (data_types.h); -1: of none, or more than 2^53.
int64_t bytes_of(const std::vector<OperatorInput>& inputs);

}  // namespace planner::trace
