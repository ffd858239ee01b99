// From a log to the iterations of its run.
#pragma once

#include <optional>

#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/read.h"

namespace planner::seqpoint {

struct Run {
  Epoch epoch;            // times of 0 where the log has none
  int64_t left_over = 0;  // sequences of a data set behind the last full batch
};

/// Batches of a data set, or the iterations themselves. nullopt: the data set has no batch (diagnosed at `place`).
std::optional<Run> run_of(const Log& log, const Batching& batching, const dsl::Span& place,
                          dsl::Diagnostics& diagnostics);

/// No iteration is longer, whatever the batch. REQUIRES: a log with lengths.
int64_t longest_of(const Log& log, Batching batching);

}  // namespace planner::seqpoint
