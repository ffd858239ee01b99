// What a device takes to begin, and a host to go on behind it, as means by name: the part of a run's times that belongs
// to no operator and to no kernel, to tell how long a run takes that was not measured.
//
//     from a launch to the begin of the kernel; between two kernels of a stream, or behind an event; from the device's
//     end to the return of the call that waits; to another thread that begins within a call
//
// Together with overheads.h nothing of the host's and the device's in-between is left of the run that is predicted.
#pragma once

#include <functional>

#include "planner/replay/build.h"
#include "planner/replay/means.h"

namespace planner::replay {

class Delays {
 public:
  /// Which count: those of a rank, of what its host did at a time.
  using Takes = std::function<bool(size_t rank, int64_t host_ns)>;

  /// Adds what was measured in a trace.
  void add(const trace::Trace& trace, const Replayed& replayed, const Takes& takes);
  /// Gives edges their means; one of which nothing is known stays.
  void put(const trace::Trace& trace, const Takes& takes, Replayed& replayed) const;

 private:
  using Known = Means<2>;  // by cause and name; by cause
  static void each(const trace::Trace& trace, const Replayed& replayed, const Takes& takes,
                   const std::function<void(uint32_t edge, const Known::Keys&)>& use);

  Known means_;
};

}  // namespace planner::replay
