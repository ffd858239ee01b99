// Tensors in the values of a node's inputs and outputs, as PyTorch and Chakra write them.
#pragma once

#include <string_view>
#include <vector>

#include "planner/trace/execution.h"

namespace planner::trace {

/// Appends the tensors of a list, in their order and however deep they stand in it: each is a list of its number, its
/// storage, its offset there, its elements, the bytes of one and the device: [9, 6, 0, 48, 4, "cuda:0"]. `quote` is
/// what texts stand in (Chakra's lists are Python's: '). What is no tensor is passed over.
void append_tensors(std::string_view list, char quote, Names& names, std::vector<Tensor>& out);

}  // namespace planner::trace
