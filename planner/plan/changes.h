// Small changes of a plan that move memory, time and money: what could be tried where a plan does not fit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Fields and the values that they get, as `--set` takes them: {"parallelism.zero", "1"}.
using Sets = std::vector<std::pair<std::string, std::string>>;

struct Change {
  Sets sets;
  size_t kind = 0;        // which setting, in the order of `single_changes`
  LoadedScenario loaded;  // with the change; `record` holds it too, for conditions that read the layout
};

/// More ranks for a degree: `factor` times as many, of those that the data degree gives up where it takes any. False:
/// they are not there, or the degree has nothing to divide.
bool grow(Scenario& s, const Degree& degree, int64_t factor);

/// Every change of one setting (and of the data ranks that make room for it), in a fixed order: sequence parallelism,
/// ZeRO, recomputation, smaller microbatches, more tensor, pipeline, context or expert parallelism, offloading, more or
/// fewer GPUs. Layouts that do not work are left out.
std::vector<Change> single_changes(const LoadedScenario& loaded);

}  // namespace planner
