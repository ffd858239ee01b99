// A worker's backward pass as tuning sees it: its computation in order, and the gradients that it produces.
//
// This is the coarsened view of dPRO (Hu et al. 2022, section 5.3): an operator without a gradient belongs to the next
// one that has one. Workers do the same at the same time, so one represents all of them. The communication of a
// gradient is one operator whose time depends on its size alone.
//
// Also: which operators are fused and partitioned, and the resulting step.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planner::tuning {

/// Operators one behind the other, and the gradients that are there when the last of them is done.
struct Piece {
  std::string name;
  double seconds = 0;
  double joined_saves_seconds = 0;  // of them, when it is one operator with the piece before it
  double within_saves_seconds = 0;  // of them, when its own operators are one
  double gradient_bytes = 0;        // 0: none
};

/// A step of a worker. The gradients are reduced one after the other, each when it is there.
struct Backward {
  double before_seconds = 0;  // from the begin of the step to that of the first piece
  std::vector<Piece> pieces;
  double after_seconds = 0;  // once all are computed and reduced: the optimizer
};

/// Returns the pieces of operators of which some have no gradient: each of these is part of the next one that has one.
/// Operators behind the last gradient are a separate piece, without one.
std::vector<Piece> coarsened(const std::vector<Piece>& operators);

/// Time to reduce `bytes` in `partitions` partitions of equal size.
using SyncSeconds = std::function<double(double bytes, int partitions)>;

/// The fastest number of partitions, dPRO's k*, and their time.
struct Partitioned {
  int partitions = 1;
  double seconds = 0;       // until the next reduction may begin
  double tail_seconds = 0;  // from there until all is reduced: transfers still on their way to servers and back
};

/// The most partitions of a bucket, unless set otherwise.
inline constexpr int kUsualPartitions = 64;

/// Finds the best number of partitions of gradients.
class Sync {
 public:
  /// `most_partitions`: powers of two up to it are tried; 1: gradients are never partitioned. `tail`: of reductions
  /// that do not end where the next one may begin.
  Sync(SyncSeconds seconds, int most_partitions, SyncSeconds tail = {})
      : seconds_(std::move(seconds)), tail_(std::move(tail)), most_partitions_(most_partitions) {}
  /// The one that is reduced first. No bytes take no time.
  Partitioned best(double bytes) const;
  Partitioned in(double bytes, int partitions) const;

 private:
  SyncSeconds seconds_, tail_;
  int most_partitions_;
};

/// Which pieces are one with the piece before them, as operators and as gradients. The first one never is.
struct FusionStrategy {
  explicit FusionStrategy(size_t pieces = 0) : joins_operator(pieces), joins_gradient(pieces) {}
  std::vector<bool> joins_operator, joins_gradient;
  bool fuses_within = false;                      // the operators of each piece are one
  std::optional<double> largest_partition_bytes;  // of reduced data; nullopt: each in its best number of partitions
  double cycle_seconds = 0;                       // reductions begin at multiples of it only; 0: at any time
  bool operator==(const FusionStrategy&) const = default;
};

/// Returns the time of a piece alone.
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

  /// The first bucket of the final run of buckets without gaps: buckets before it are bound by computation, buckets
  /// from it on by communication. Equal to the number of buckets if computation ends last.
  size_t bound_by_communication = 0;
};

/// Plays the step. Pieces of one operator end together; a bucket is reduced when its last gradient is there and the
/// one before it is done.
Replay replay(const Backward& pass, const FusionStrategy& strategy, const Sync& sync);

}  // namespace planner::tuning
