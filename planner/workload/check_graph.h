// Invariants of the edges of a workload; tests check them after every pass.
//
//     circles            an operator does not follow from itself
//     producers          each operator has one: of its phase, the block's input, or a kept tensor; gathers and casts of
//                        weights and copies from the host have none
//     consumers          each operator has one, or is an end by a rule: a result of the block; a gradient of weights
//     and
//                        its reduction (the optimizer reads them); a copy to the host; a repeated operator, as a
//                        checkpoint repeats all of its forward pass, read or not
//     covers             what hides a transfer is an operator of the block that computes
//     independent        no path leads from one operator of a group to another
//     forward            a backward operator names a forward one; a repeated one has the producers of its original, or
//                        reads kept tensors in their place
#pragma once

#include <string>
#include <vector>

#include "planner/workload/workload.h"

namespace planner {

/// "layer: attention.ring (forward) has no producer", one for each; empty: all holds.
std::vector<std::string> graph_faults(const Block& block);
std::vector<std::string> graph_faults(const Workload& workload);

}  // namespace planner
