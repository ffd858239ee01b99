// How long a device was busy, with what, and what hid what.
#pragma once

#include <string>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

struct Interval {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Intervals that neither touch nor overlap, by time.
class Union {
 public:
  /// REQUIRES: intervals come by their begins.
  void add(Interval interval);
  int64_t length_ns() const { return length_; }
  /// Returns whether a moment lies in it; ends do not.
  bool covers(int64_t at_ns) const;
  const std::vector<Interval>& parts() const { return parts_; }

 private:
  std::vector<Interval> parts_;
  int64_t length_ = 0;
};
/// Returns how long both are.
int64_t common_ns(const Union& a, const Union& b);

/// Seconds of a device over a time. Busy is the union of what ran: computation, communication and memory may overlap.
/// exposed = communication that neither computation nor memory covers.
struct Busy {
  int64_t window_ns = 0, busy_ns = 0, compute_ns = 0, communication_ns = 0, memory_ns = 0;
  int64_t overlap_ns = 0;  // of communication and computation
  int64_t exposed_ns = 0;
  int64_t events = 0;

  int64_t idle_ns() const { return window_ns - busy_ns; }
  /// The share of communication that computation hides; 0 without communication.
  double overlap_ratio() const {
    return communication_ns > 0 ? static_cast<double>(overlap_ns) / static_cast<double>(communication_ns) : 0;
  }
};

/// Returns what the device did, from the first begin to the last end; or in `clip`, whatever of its events lies there.
Busy busy_of(const RankTrace& trace);
Busy busy_within(const RankTrace& trace, Interval clip);

/// A step that the profiler marked.
struct Step {
  std::string name = "";  // "ProfilerStep#10"
  Interval host = {};     // on its host
  Interval device = {};   // from the first begin to the last end of what was launched in it; empty: nothing was
  std::vector<size_t> events = {};  // of the device, that were launched in it
  bool is_marked() const { return !name.empty(); }
  Busy launched = {}, clipped = {};  // of these; of what ran on the device in its time on the host
};
/// Returns whether an event marks a step.
bool is_step_of(const RankTrace& trace, const Event& event);
/// Returns the steps, by time; one of the whole trace, named "", where none is marked.
std::vector<Step> steps_of(const RankTrace& trace);

/// Returns the time from a step's begin on the host to the next one's, and of the last one its own.
Interval period_of(const std::vector<Step>& steps, size_t at);

/// Returns the time from the end of the step before on the device to a step's own end. A device may run far behind its
/// host, and work of a step may begin before that of the one before is done. Of the first one it is its own time.
Interval device_period_of(const std::vector<Step>& steps, size_t at);

/// A stream of a device.
struct StreamBusy {
  uint32_t lane = 0;
  int64_t events = 0, busy_ns = 0, sum_ns = 0, communications = 0;
};
std::vector<StreamBusy> streams_of(const RankTrace& trace);

}  // namespace planner::trace
