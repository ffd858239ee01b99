// How long a device was busy, with what, and what hid what.
#pragma once

#include <span>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

struct TimeInterval {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Intervals that neither touch nor overlap, by time.
class Union {
 public:
  /// REQUIRES: intervals come by their begins.
  void add(TimeInterval interval);
  int64_t length_ns() const { return length_; }
  /// Returns whether a moment lies in it; ends do not.
  bool covers(int64_t at_ns) const;
  const std::vector<TimeInterval>& parts() const { return parts_; }

 private:
  std::vector<TimeInterval> parts_;
  int64_t length_ = 0;
};
/// Returns how long both are.
int64_t common_ns(const Union& a, const Union& b);

/// Seconds of a device over a time. Busy is the union of what ran: computation, communication and memory may overlap.
/// exposed = communication that neither computation nor memory covers.
struct Busy {
  int64_t window_ns = 0, busy_ns = 0, compute_ns = 0, communication_ns = 0, memory_ns = 0;
  int64_t overlap_ns = 0;  // of communication and computation
  int64_t doubled_ns = 0;  // of any two of the three, where three run twice: their sum is busy_ns + doubled_ns
  int64_t exposed_ns = 0;
  int64_t events = 0;

  int64_t idle_ns() const { return window_ns - busy_ns; }
  /// The share of communication that computation hides; 0 without communication.
  double overlap_ratio() const {
    return communication_ns > 0 ? static_cast<double>(overlap_ns) / static_cast<double>(communication_ns) : 0;
  }
};

/// Returns the activity of the device, from the first begin to the last end; or within `clip`, with all events there.
Busy busy_of(const RankTrace& trace);
Busy busy_within(const RankTrace& trace, TimeInterval clip);
/// The same for some of its events; `window`: from the first begin to the last end, empty if there are none.
Busy busy_of(const RankTrace& trace, std::span<const size_t> events, TimeInterval& window);

/// A stream of a device.
struct StreamBusy {
  uint32_t lane = 0;
  int64_t events = 0, busy_ns = 0, sum_ns = 0, communications = 0;
};
std::vector<StreamBusy> streams_of(const RankTrace& trace);

}  // namespace planner::trace
