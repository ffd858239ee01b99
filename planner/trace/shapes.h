// Shapes of an operator's inputs, as traces write them.
#pragma once

#include <string>
#include <string_view>

namespace planner::trace {

/// Returns whether shapes of a node ("[[3, 4], [[2], [5]], []]") are those of an event ("Input Dims" of Kineto), of as
/// many inputs, in all that the event says: Kineto says nothing of lists of tensors.
bool shapes_agree(std::string_view of_node, std::string_view of_event);

/// Returns the shapes of tensors that are inputs by themselves, in one form for nodes and events: "[128,48][][]"; ""
/// where there is none.
std::string shapes_alone(std::string_view list);

}  // namespace planner::trace
