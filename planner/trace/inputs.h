// The inputs of an operator as PyTorch's profiler writes them: "[[128, 48], [], [[2], [3, 4]]]" and
// "['float', 'Scalar', 'TensorList']".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

using Shape = std::vector<int64_t>;  // no sizes: a single number

/// One input: a tensor, or several where the operator takes a list of them.
struct OperatorInput {
  std::vector<Shape> tensors;
  std::string type;  // "float", "TensorList"; "": unknown
};

/// Returns the inputs, in order. Empty: the text is not such a list, or holds a number that is not a size.
std::vector<OperatorInput> inputs_of(std::string_view shapes, std::string_view types);

/// Returns whether an event has the shapes and the types of its inputs.
bool says_inputs(const RankTrace& rank, const Event& event);
/// Returns the inputs of an event as far as it has them; without types if it has none.
std::vector<OperatorInput> inputs_of(const RankTrace& rank, const Event& event);

/// Returns the numbers that a tensor holds.
double elements_of(const Shape& shape);

/// Returns the bytes of all tensors whose type is known (data_types.h); -1: of none, or more than 2^53.
int64_t bytes_of(const std::vector<OperatorInput>& inputs);

/// Returns whether shapes of a node ("[[3, 4], [[2], [5]], []]") match those of an event ("Input Dims" of Kineto). The
/// number of inputs must match, and all shapes that the event has: Kineto has none for lists of tensors.
bool shapes_agree(std::string_view of_node, std::string_view of_event);

/// Returns the shapes of direct tensor inputs, in one form for nodes and events: "[128,48][][]"; "" if there are none.
std::string shapes_alone(std::string_view list);

}  // namespace planner::trace
