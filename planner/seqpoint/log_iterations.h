// From a log to the iterations of its run.
#pragma once

#include <optional>

#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/log.h"

namespace planner::seqpoint {

struct LogRun {
  Epoch epoch;                             // times of 0 where the log has none
  int64_t left_over = 0;                   // sequences of a data set behind the last full batch
  std::vector<Statistic> statistics = {};  // the log's, each the mean of a length's iterations, by length
};

/// Returns the batches of a data set, or the iterations themselves. nullopt: the data set has no batch (diagnosed at
/// `place`).
std::optional<LogRun> run_of(const Log& log, const Batching& batching, const dsl::Span& place,
                             dsl::Diagnostics& diagnostics);

/// Returns the mean time of a log's iterations at each length of an epoch, which is of another run. nullopt: a length
/// has none there (diagnosed at `place`). REQUIRES: a log with times.
std::optional<std::vector<double>> times_at(const Log& log, const Epoch& epoch, const dsl::Span& place,
                                            dsl::Diagnostics& diagnostics);

/// Returns a length that no iteration exceeds, whatever the batch. REQUIRES: a log with lengths.
int64_t longest_of(const Log& log, Batching batching);

}  // namespace planner::seqpoint
