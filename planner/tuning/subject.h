// The subject of tuning: a backward pass, the reduction of its gradients, and the present strategy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/tuning/strategy.h"

namespace planner::tuning {

/// t = k a + b s of s bytes in k partitions; seconds, and seconds for a byte.
struct SyncLine {
  double a = 0, b = 0;
  double seconds(double bytes, int partitions) const { return partitions * a + bytes * b; }
};

struct Subject {
  Backward pass;
  SyncSeconds sync;
  SyncSeconds tail = {};                   // of Sync; empty: there is none
  std::optional<SyncLine> line = {};       // of `sync`, where it is one: of traces
  std::string reduction;                   // "all-reduce of 16 ranks"
  int64_t ranks = 0;                       // that a trace's reductions are among
  double step_seconds = 0;                 // of the plan, or as it was measured
  std::optional<FusionStrategy> measured;  // of a trace: the strategy that ran; nullopt: of a plan, without buckets
  bool assumes_sizes = false;              // of gradients
};

/// Or why there is nothing to tune.
struct Tunable {
  std::optional<Subject> subject;
  std::string why_not, hint;

  /// Of a step; 0: there is no subject.
  double gradient_bytes() const {
    double bytes = 0;
    for (size_t i = 0; subject && i < subject->pass.pieces.size(); ++i) bytes += subject->pass.pieces[i].gradient_bytes;
    return bytes;
  }
};

}  // namespace planner::tuning
