// Small changes of a plan that move memory, time and money: what could be tried where a plan does not fit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Fields and the values that they get, as `--set` takes them: {"parallelism.zero", "1"}.
using Sets = std::vector<std::pair<std::string, std::string>>;

/// Returns the scenario with these fields set in addition; nullopt: it could not be read.
using Reread = std::function<std::optional<LoadedScenario>(const Sets& sets)>;

struct LayoutChange {
  Sets sets;
  size_t setting = 0;     // its number in the order of `layout_changes`
  LoadedScenario loaded;  // with the change; `record` holds it too, for conditions that read the layout
};

/// Returns every change of one setting (and of the data ranks that make room for it), in the order of the table of
/// single changes (single_changes.h): sequence parallelism, ZeRO, recomputation, smaller microbatches, more tensor,
/// pipeline, context or expert parallelism, offloading; then more or fewer GPUs. Layouts that do not work are left out.
std::vector<LayoutChange> layout_changes(const LoadedScenario& loaded);

}  // namespace planner
