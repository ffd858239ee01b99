// Host time of one rank's threads, in a graph: how much lies where, and insertion of more. Also the host time of
// launching a reduction of gradients: found, removed, and inserted elsewhere.
#pragma once

#include <vector>

#include "planner/replay/replayed.h"
#include "planner/trace/gradients.h"

namespace planner::replay {

class HostTimes {
 public:
  /// `replayed` outlives it.
  HostTimes(size_t rank, Replayed& replayed);

  /// Returns a thread's own duration in an interval, according to the graph: without waits for devices.
  int64_t own_ns(uint32_t lane, int64_t begin_ns, int64_t end_ns) const;

  /// Takes the share of a thread's own time that lies in a span out of the graph, and returns it.
  int64_t take_out(uint32_t lane, const trace::TimeInterval& span);

  /// Where something was put in: a node of the thread, and how long behind its begin.
  struct HostPlace {
    uint32_t node = Run::kNone;  // kNone: the thread does nothing at all
    int64_t behind_begin_ns = 0;
  };
  /// Adds time to a thread at a moment. REQUIRES: moments of a thread are in ascending order.
  HostPlace put_in(uint32_t lane, int64_t at_ns, int64_t duration_ns);

 private:
  using Times = std::vector<size_t>;

  Times::const_iterator behind(uint32_t lane, int64_t at_ns) const;
  uint32_t split(size_t number, int64_t at_ns, int64_t duration_ns);

  Replayed& replayed_;
  Times times_;  // numbers in `Replayed::host` of this rank, by thread and begin
};

/// The threads of one rank while its reductions are launched elsewhere.
class LaunchCosts {
 public:
  /// Both outlive it.
  LaunchCosts(const trace::RankTrace& rank, size_t number, Replayed& replayed);

  /// Takes out the time of the operator that launched a reduction, as far as it began behind its gradient; of a call
  /// without one that of the call. What another thread than the gradient's launched stays: it delays no gradient.
  void take_out(const trace::Gradient& gradient, const trace::GradientReduction& reduction);

  /// Where a reduction is launched: the node that it counts from, and how long behind its begin.
  struct LaunchPlace {
    uint32_t node = 0;
    int64_t behind_begin_ns = 0;
  };
  /// Inserts the average of the removed launches, `times` times, where a gradient has been launched. REQUIRES: all have
  /// been removed; gradients are in ascending order of time.
  LaunchPlace put_in(const trace::Gradient& gradient, int times);

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
