// What is fused and partitioned, and the step that comes of it.
#pragma once

#include <optional>
#include <vector>

#include "planner/tuning/backward.h"

namespace planner::tuning {

/// Which pieces are one with the piece before them, as operators and as gradients. The first one never is.
struct FusionStrategy {
  explicit FusionStrategy(size_t pieces = 0) : joins_operator(pieces), joins_gradient(pieces) {}
  std::vector<bool> joins_operator, joins_gradient;
  bool fuses_within = false;                      // the operators of each piece are one
  std::optional<double> largest_partition_bytes;  // of what is reduced; nullopt: each in its best number of partitions
  double cycle_seconds = 0;                       // reductions begin at multiples of it only; 0: at any time
  bool operator==(const FusionStrategy&) const = default;
};

/// Returns the time of a piece by itself.
double seconds_of(const Piece& piece, bool fused_within);

/// Returns the first multiple of a cycle that is not before a time; 0: the time itself. A time that is one but for
/// rounding is one.
double next_cycle_seconds(double seconds, double cycle_seconds);

/// Gradients that are reduced as one.
struct Bucket {
  size_t first = 0, last = 0;  // pieces
  double bytes = 0;
  Partitioned sync;
  double ready_seconds = 0, begin_seconds = 0, end_seconds = 0;  // since the begin of the step
};

/// When everything is done.
struct Replay {
  std::vector<double> piece_ends;  // of each piece: of the operator that it is part of
  std::vector<Bucket> buckets;     // in the order in which they are reduced
  double step_seconds = 0;

  /// The first bucket of those that follow one another without a gap up to the last one: what comes before is bound by
  /// computation, what comes behind by communication. As many as there are where computation ends last.
  size_t bound_by_communication = 0;
};

/// Plays the step. Pieces of one operator end together; a bucket is reduced when its last gradient is there and the
/// one before it is done.
Replay replay(const Backward& pass, const FusionStrategy& strategy, const Sync& sync);

}  // namespace planner::tuning
