// Numbers of GPUs on which no layout works with the batch, and the batch with which one does.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/resolve/other_batches.h"

namespace cli {

struct NamedBatch {
  std::string entries;  // of the catalogue, where a search has several; may be empty
  planner::OtherBatch other;
};

struct NamedBatches {
  std::vector<NamedBatch> found;
  int64_t untried = 0;  // numbers of GPUs without a plan beyond kMostBatches that were found
};
inline constexpr size_t kMostBatches = 8;

/// Adds those of a whole search's numbers of GPUs without a plan.
void add_batches(const planner::ScenarioText& text, const planner::OpenScenario& open,
                 const planner::SearchResult& found, const planner::SearchOptions& search, const std::string& entries,
                 NamedBatches& all);

/// Adds the member `other_batches` and a line for each; nothing where there is none.
void add_other_batches(const NamedBatches& batches, Report& report);

}  // namespace cli
