// The scenario over evolution steps of its hardware and its model (Pati 2024, sections 5.2.5, 5.3.3.6 and 5.4): each
// cell of the grid is the scenario with the cell's values, planned; where choices are open, the best plan for the goal.
//
//     Roadmap -> a scenario for each cell -> search or plan -> RoadmapCell
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/comm.h"
#include "planner/plan/results.h"
#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/search/search.h"

namespace planner {

struct RoadmapCell {
  std::string step, model;
  std::vector<RoadmapSet> sets;                             // the step's, then the model's
  std::vector<std::pair<std::string, dsl::Value>> choices;  // made by the search
  bool feasible = false;
  std::string reason;     // not feasible: rules and messages
  int64_t evaluated = 0;  // configurations that were costed

  // Absent if no layout works. A fixed layout that overflows its memory keeps them, as if the memory sufficed.
  // memory.
  std::optional<CommFractions> fractions;
  /// This is the peak of the fullest stage over the device's memory (figure 5.5 as the plan sees it); without a
  /// feasible layout it is that of the one that misses least.
  std::optional<double> memory_demand_over_capacity;
  std::optional<Results> results;
  std::optional<Parallelism> parallelism;
  std::optional<int64_t> planned_gpus;  // of the plan that all figures are of
  /// The GPUs of the plan. If the goal has a deadline and `cluster.gpus` is not a choice: the fewest GPUs that meet it,
  /// as more or fewer replicas of the plan's model-parallel layout. nullopt: no number of them does.
  std::optional<int64_t> gpus;
};

/// Plans every cell, steps outermost, models inside. If `cluster.gpus` is a choice, the deadline of a goal decides what
/// is feasible; a goal without another objective then minimises GPUs. Of `search`, only threads and `stop` are used.
/// Empty: diagnosed, each mistake once.
std::vector<RoadmapCell> roadmap_cells(const Roadmap& roadmap, const ScenarioText& text, const SearchOptions& search,
                                       dsl::Diagnostics& diagnostics);

/// Returns the fewest GPUs with which the run ends in time, by more or fewer data-parallel replicas; nullopt: none.
/// REQUIRES: no layout violation.
std::optional<int64_t> gpus_for_deadline(Scenario scenario, dsl::Seconds deadline);

}  // namespace planner
