// Shapes of an operator's inputs, as traces write them.
#pragma once

#include <string_view>

namespace planner::trace {

/// Returns whether shapes of a node ("[[3, 4], [[2], [5]], []]") are those of an event ("Input Dims" of Kineto), of as
/// many inputs, in all that the event says: Kineto says nothing of lists of tensors.
bool shapes_agree(std::string_view of_node, std::string_view of_event);

}  // namespace planner::trace
