// What the host takes to launch a reduction of gradients: found in a graph, taken out of it, and put in elsewhere.
#pragma once

#include "planner/replay/host_times.h"
#include "planner/replay/replayed.h"
#include "planner/trace/gradients.h"

namespace planner::replay {

/// The threads of one rank while its reductions are launched elsewhere.
class LaunchCosts {
 public:
  /// Both outlive it.
  LaunchCosts(const trace::RankTrace& rank, size_t number, Replayed& replayed);

  /// Takes out the time of the operator that launched a reduction, as far as it began behind its gradient; of a call
  /// without one that of the call. What another thread than the gradient's launched stays: it delays no gradient.
  void take_out(const trace::Gradient& gradient, const trace::GradientReduction& reduction);

  /// Where a reduction is launched: the node that it counts from, and how long behind its begin.
  struct Launch {
    uint32_t node = 0;
    int64_t behind_begin_ns = 0;
  };
  /// Puts in what those that were taken out took on average, so many times, where a gradient has been launched.
  /// REQUIRES: all have been taken out; gradients come by time.
  Launch put_in(const trace::Gradient& gradient, int times);

  /// From where one is put in to the next of its partitions.
  int64_t each_ns() const { return mean(taken_ns_); }

 private:
  int64_t mean(int64_t sum) const { return reductions_ > 0 ? sum / reductions_ : 0; }

  const trace::RankTrace& rank_;
  const uint32_t number_;
  Replayed& replayed_;
  HostTimes host_;
  int64_t taken_ns_ = 0, launched_ns_ = 0, reductions_ = 0;  // sums: of time; from the gradient to the launch
};

}  // namespace planner::replay
