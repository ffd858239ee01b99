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

/// Returns the numbers of GPUs that a scenario leaves open, or its one number; empty if they follow other choices.
std::vector<int64_t> gpu_counts(const OpenScenario& open);

/// Returns those without a feasible candidate; empty unless the batch is one written number. REQUIRES: the result is
/// that of a whole search of the scenario.
std::vector<int64_t> gpus_without_plan(const OpenScenario& open, const SearchResult& result);

enum class GoalLimits { hold, ignored };  // deadline and budget

/// Returns the batch, within a quarter of the scenario's, whose best plan on `gpus` GPUs is best for the goal; a batch
/// nearer to the scenario's is preferred if it is within 5 %. Without a goal, or with one about the step, the measure
/// is sequences per second. nullopt: a layout works with the scenario's own batch, or none with another. `text`: with
/// the fields that the layout policy opens. Of `search`, only `threads` and `stop` are used.
std::optional<OtherBatch> other_batch(const ScenarioText& text, int64_t gpus, const SearchOptions& search,
                                      GoalLimits limits = GoalLimits::hold);

struct NamedBatch {
  UsedEntries entries;  // where a list of `use` has several
  OtherBatch other;
};
/// Each number of GPUs needs separate searches: several are tried only on request.
enum class TryBatches { on_one_number, on_all };
struct NamedBatches {
  TryBatches tries = TryBatches::on_all;
  std::vector<NamedBatch> found;
  int64_t tried = 0, untried = 0;  // numbers of GPUs without a plan; untried: too many, or not requested
};
inline constexpr size_t kMostBatches = 8;
inline constexpr int64_t kMostTried = 40;

/// Adds those for the numbers of GPUs without a plan in a whole search: at most kMostBatches, of kMostTried numbers.
void add_batches(const ScenarioText& text, const OpenScenario& open, const SearchResult& found,
                 const SearchOptions& search, const UsedEntries& entries, NamedBatches& all);

}  // namespace planner
