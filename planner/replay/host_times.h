// The time that the threads of one rank take by themselves, in a graph: how much of it lies where, and more of it put
// in.
#pragma once

#include <utility>
#include <vector>

#include "planner/replay/replayed.h"

namespace planner::replay {

class HostTimes {
 public:
  /// `replayed` outlives it.
  HostTimes(size_t rank, Replayed& replayed);

  /// Returns how long a thread takes by itself in a time, as the graph has it: without waits for devices.
  int64_t own_ns(uint32_t lane, int64_t begin_ns, int64_t end_ns) const;

  /// Takes the share of a thread's own time that lies in a span out of the graph, and returns it.
  int64_t take_out(uint32_t lane, const trace::TimeInterval& span);

  /// Where something was put in: a node of the thread, and how long behind its begin.
  struct HostPlace {
    uint32_t node = Run::kNone;  // kNone: the thread does nothing at all
    int64_t behind_begin_ns = 0;
  };
  /// Lets a thread take so much longer at a moment. REQUIRES: moments of a thread come by time.
  HostPlace put_in(uint32_t lane, int64_t at_ns, int64_t duration_ns);

 private:
  using Times = std::vector<size_t>;

  Times::const_iterator behind(uint32_t lane, int64_t at_ns) const;
  uint32_t split(size_t number, int64_t at_ns, int64_t duration_ns);

  Replayed& replayed_;
  Times times_;  // numbers in `Replayed::host` of this rank, by thread and begin
};

}  // namespace planner::replay
