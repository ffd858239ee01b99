// Numbers of GPUs on which no layout works with the batch, and the batch with which one does.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/resolve/alternatives.h"
#include "planner/resolve/other_batches.h"

namespace cli {

struct NamedBatch {
  planner::UsedEntries entries;  // where a list of `use` has several
  planner::OtherBatch other;
};
/// "--set cluster.use=dgx-h100".
std::string sets_text(const std::vector<dsl::Override>& uses);

struct NamedBatches {
  std::vector<NamedBatch> found;
  int64_t tried = 0, untried = 0;  // numbers of GPUs without a plan; those beyond kMostBatches found, or kMostTried
};
inline constexpr size_t kMostBatches = 8;
inline constexpr int64_t kMostTried = 40;

/// Adds those of a whole search's numbers of GPUs without a plan.
void add_batches(const planner::ScenarioText& text, const planner::OpenScenario& open,
                 const planner::SearchResult& found, const planner::SearchOptions& search,
                 const planner::UsedEntries& entries, NamedBatches& all);

/// Adds the member `other_batches` and a line for each; nothing where there is none.
void add_other_batches(const NamedBatches& batches, Report& report);

}  // namespace cli
