// Divides the layers of a pipeline by cost: if layers differ, equal numbers of layers are not equal work.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Time of a part of a pipeline: its layers, and the operators before the first and behind the last of them.
struct LayerCosts {
  std::vector<double> layers;  // in the model's order
  double first = 0, last = 0;  // of the first part (embedding), of the last (prediction layers and head)
};

/// Returns the number of layers of each part, in order, such that the most expensive part is as cheap as possible. Of
/// such divisions it returns one with the most equal parts (least sum of squares). Every part between the ends has a
/// layer. REQUIRES: parts > 1, and at most the number of layers plus two.
std::vector<int64_t> balanced(const LayerCosts& costs, int64_t parts);

/// Seconds of a microbatch: forward, backward and recompute. REQUIRES: no layout violation.
LayerCosts layer_costs(const Scenario& s);

/// Whether layers are divided by cost.
bool deals_by_cost(const Scenario& s);
/// Writes the division into `parallelism.stages` if it is requested and the layout has no violation.
void deal_by_cost(Scenario& s);

}  // namespace planner
