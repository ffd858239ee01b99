#include "planner/seqpoint/log_iterations.h"

#include <fmt/format.h>

#include <algorithm>

namespace planner::seqpoint {

std::optional<LogRun> run_of(const Log& log, const Batching& batching, const dsl::Span& place,
                             dsl::Diagnostics& diagnostics) {
  const auto sequences = static_cast<int64_t>(log.lengths.size());
  if (log.sequences && sequences < batching.batch) {
    diagnostics.error(place,
                      fmt::format("a batch of {} is larger than the data set: it has {} sequence{}", batching.batch,
                                  sequences, sequences == 1 ? "" : "s"),
                      "the scenario's job.global_batch says the batch");
    return std::nullopt;
  }
  const std::vector<int64_t> lengths = log.sequences ? batch_lengths(log.lengths, batching) : log.lengths;
  std::vector<Iteration> iterations;
  for (size_t i = 0; i < lengths.size(); ++i)
    iterations.push_back({lengths[i], log.seconds.empty() ? 0 : log.seconds[i]});
  return LogRun{epoch_of(iterations), log.sequences ? sequences % batching.batch : 0};
}

int64_t longest_of(const Log& log, Batching batching) {
  if (!log.sequences) return *std::max_element(log.lengths.begin(), log.lengths.end());
  batching.batch = static_cast<int64_t>(log.lengths.size());
  return batch_lengths(log.lengths, batching).front();
}

}  // namespace planner::seqpoint
