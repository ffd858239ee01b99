// A worker's backward pass as tuning sees it: what computes, in its order, and the gradients that it hands over.
//
// This is the coarsened view of dPRO (Hu et al. 2022, section 5.3): an operator without a gradient belongs to the next
// one that has one. Workers do the same at the same time, so that one stands for all of them, and the communication
// of a gradient is one operator whose time depends on its size alone.
#pragma once

#include <functional>
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

/// Returns the pieces of operators of which some have no gradient: each of these is part of the next one that has.
/// What comes behind the last gradient is a piece of its own, without one.
std::vector<Piece> coarsened(const std::vector<Piece>& operators);

/// What it takes to reduce so many bytes in so many partitions of one size.
using SyncSeconds = std::function<double(double bytes, int partitions)>;

/// The fastest number of partitions and its time, dPRO's k*.
struct Partitioned {
  int partitions = 1;
  double seconds = 0;
};

/// Finds the best number of partitions of gradients, and knows it of each size from then on.
class Sync {
 public:
  /// `most_partitions`: powers of two up to it are tried; 1: gradients are never partitioned.
  Sync(SyncSeconds seconds, int most_partitions) : seconds_(std::move(seconds)), most_partitions_(most_partitions) {}
  /// No bytes take no time.
  Partitioned best(double bytes) const;
  double seconds(double bytes, int partitions) const { return bytes > 0 ? seconds_(bytes, partitions) : 0; }

 private:
  SyncSeconds seconds_;
  int most_partitions_;
};

}  // namespace planner::tuning
