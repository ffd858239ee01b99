#include "planner/seqpoint/log_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  LogRun run{epoch_of(iterations), log.sequences ? sequences % batching.batch : 0};
  for (const Statistic& s : log.statistics) run.statistics.push_back({s.name, means_by_length(run.epoch, s.values)});
  return run;
}

std::optional<std::vector<double>> times_at(const Log& log, const Epoch& epoch, const dsl::Span& place,
                                            dsl::Diagnostics& diagnostics) {
  std::vector<Iteration> iterations;
  for (size_t i = 0; i < log.lengths.size(); ++i) iterations.push_back({log.lengths[i], log.seconds[i]});
  std::map<int64_t, double> known;
  for (const LengthTime& l : epoch_of(iterations).lengths) known[l.length] = l.seconds;
  std::vector<double> times;
  std::vector<int64_t> missing;
  for (const LengthTime& l : epoch.lengths)
    if (const auto at = known.find(l.length); at != known.end()) times.push_back(at->second);
    else missing.push_back(l.length);
  if (missing.empty()) return times;
  diagnostics.error(place,
                    fmt::format("{} of the run's {} lengths have no time here, the first of them {}", missing.size(),
                                epoch.lengths.size(), missing.front()),
                    "--quantum pads the batches of a data set to lengths that have one");
  return std::nullopt;
}

int64_t longest_of(const Log& log, Batching batching) {
  if (!log.sequences) return *std::max_element(log.lengths.begin(), log.lengths.end());
  batching.batch = static_cast<int64_t>(log.lengths.size());
  return batch_lengths(log.lengths, batching).front();
}

}  // namespace planner::seqpoint
