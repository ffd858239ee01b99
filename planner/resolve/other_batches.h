// Numbers of GPUs on which no layout works with the batch, such as 1000 with a batch of 1024, and the batch near it
// with which one does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/resolve/alternatives.h"
#include "planner/resolve/read.h"
#include "planner/search/search.h"

namespace planner {

struct OtherBatch {
  int64_t gpus = 0, batch = 0;
  Results results;  // of the best plan with it
};

/// Returns the numbers of GPUs that a scenario leaves open, or its one; none where they follow other choices.
std::vector<int64_t> gpu_counts(const OpenScenario& open);

/// Returns those without a feasible candidate; none where the batch is not one written number. REQUIRES: the result is
/// of a whole search of the scenario.
std::vector<int64_t> gpus_without_plan(const OpenScenario& open, const SearchResult& result);

enum class GoalLimits { hold, ignored };  // deadline and budget

/// Returns the batch within a quarter of the scenario's with which the best plan on so many GPUs is best for the goal
/// (without one, and where it is about the step: the most sequences per second), or a nearer one that is within 5 % of
/// it. nullopt: a layout works with the scenario's own batch, or none with another. `text`: with what the layout policy
/// opens. `threads` and `stop` of `search` count.
std::optional<OtherBatch> other_batch(const ScenarioText& text, int64_t gpus, const SearchOptions& search,
                                      GoalLimits limits = GoalLimits::hold);

struct NamedBatch {
  UsedEntries entries;  // where a list of `use` has several
  OtherBatch other;
};
/// Each number of GPUs takes searches of its own: several are tried on request alone.
enum class TryBatches { on_one_number, on_all };
struct NamedBatches {
  TryBatches tries = TryBatches::on_all;
  std::vector<NamedBatch> found;
  int64_t tried = 0, untried = 0;  // numbers of GPUs without a plan; untried ones too many, or not asked for
};
inline constexpr size_t kMostBatches = 8;
inline constexpr int64_t kMostTried = 40;

/// Adds those of a whole search's numbers of GPUs without a plan: no more than kMostBatches, of kMostTried numbers.
void add_batches(const ScenarioText& text, const OpenScenario& open, const SearchResult& found,
                 const SearchOptions& search, const UsedEntries& entries, NamedBatches& all);

}  // namespace planner
