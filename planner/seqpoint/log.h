// Logs of runs and lengths of data sets.
//
//     length,seconds        iteration,sequence_length,seconds        iteration,length        48160
//     87,0.412              1,87,0.412                               1,87                    221760
//
// Iterations with measured times (with `iteration`, any order of the lines), iterations without, and one sequence of a
// data set per line: bare numbers, or a CSV with only a column of lengths. Each may be packed by gzip. Times may be in
// microseconds (`time_us`, as the measurement kit writes them), and other columns may hold counters of the iterations.
//
// From a log to the iterations of its run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/epoch.h"

namespace planner::seqpoint {

/// No text of a run is larger than this after unpacking.
inline constexpr size_t kMostLogBytes = size_t{64} << 20;

/// A counter of each iteration other than its time: FLOP, bytes, kernels.
struct Statistic {
  std::string name;            // of its column
  std::vector<double> values;  // of the iterations
};

struct Log {
  std::vector<int64_t> lengths;            // of iterations, in the order of the run; of a data set, its sequences
  std::vector<double> seconds;             // of the iterations; empty: not measured
  bool sequences = false;                  // lengths of a data set
  std::vector<Statistic> statistics = {};  // the requested ones
};

/// Reads a log; nullopt: diagnosed. An unpacked text becomes one of `sources`, under the name of the file. Columns
/// named by `statistics` must exist and hold the iterations' numbers; if any is named, unknown columns are left out.
std::optional<Log> read_log(const dsl::Source& file, dsl::Sources& sources, dsl::Diagnostics& diagnostics,
                            std::span<const std::string> statistics = {});

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
