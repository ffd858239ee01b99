// Dependencies of streams and hosts.
//
// Newer traces of Kineto give, for a synchronisation (category cuda_sync), the stream that waits, the stream waited
// for, and the call that recorded the event. The dependency is the last work launched there before that call. For
// traces with calls alone it is inferred: a kernel waits for as many of the streams used last as there were waiting
// calls; a synchronised host waits for the stream that was done last while it waited.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "planner/replay/host.h"

namespace planner::replay {

inline constexpr int64_t kTickNs = 2000;  // clocks that tick in microseconds, and disagree by one

class StreamWaits {
 public:
  /// Both outlive it. Dependencies that the measured times contradict are left out.
  StreamWaits(const trace::RankTrace& rank, const Launched& launched);

  /// Events of other streams that an event of a device waits for.
  std::span<const size_t> of(size_t event) const;
  /// Events that a call waits for before it returns.
  std::span<const size_t> of(const HostItem& call) const { return awaited_[call.number]; }

 private:
  std::unordered_map<size_t, std::vector<size_t>> sources_;
  std::vector<std::vector<size_t>> awaited_;  // by the number of a call
};

}  // namespace planner::replay
