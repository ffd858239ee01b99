// The table of single changes of a configuration: settings of its layout, and quantities of its machine.
//
// A row defines how a change is written and made, and its use; each user takes the rows that it needs: the hint of a
// plan that overflows (relief.h), the repair of a search that found nothing (layout_changes.h), the sensitivities of a
// plan and the machines on which the order of two plans changes (`machine_changes`).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "planner/scenario/degrees.h"
#include "planner/scenario/scenario.h"

namespace planner {

struct SingleChange {
  std::string field;  // path; "[]" is the index of a network tier, `cluster.gpu.flops` covers all peaks
  /// Returns false, perhaps with the scenario changed, where there is nothing to change. `tier`: of the network.
  bool (*apply)(Scenario& scenario, double amount, size_t tier);
  double amount = 0;  // of a layout: a value or a factor; 0: a quantity of the machine, which takes any factor above 0
  std::string text = {};  // its wording for a plan that overflows memory; empty: not listed there
  /// Returns whether the quantity of a machine acts on a plan; null: it always does.
  bool (*acts)(const Scenario& scenario, bool offloads) = nullptr;
  const Degree* degree = nullptr;  // that grows by the factor `amount`; `apply` is null then
};

/// Returns the rows. Changes of one setting are adjacent, the smallest first; the layout's come before the machine's.
std::span<const SingleChange> single_changes();

/// Changes by the row's amount; returns false, perhaps with the scenario changed, where there is nothing to change.
bool apply_change(const SingleChange& change, Scenario& scenario);

inline constexpr const char* kMemoryField = "cluster.gpu.memory";
inline constexpr const char* kHostMemoryField = "cluster.host.memory";

/// Gives a degree `factor` times as many ranks, of those that the data degree gives up where it takes any. Returns
/// false, and changes nothing, where they are not there or the degree has nothing to divide.
bool grow(Scenario& scenario, const Degree& degree, int64_t factor);

/// A quantity of a machine that may be more or less.
struct MachineChange {
  std::string field;  // path; `cluster.gpu.flops` covers the peaks of all precisions
  std::function<void(Scenario&, double factor)> scale;
};

/// Returns peaks, memory and its bandwidth, every tier of the network, the prices that are given and, where something
/// is offloaded, the link to the host.
std::vector<MachineChange> machine_changes(const Scenario& scenario, bool offloads);

}  // namespace planner
