// When the steps of a rank are: one window each, which follow one another.
//
// A step is its host's, from its begin to that of the next one (of the last to its own end), where all that was
// launched in a step is done by then on every step. Else the device runs behind its host, and a step is the device's:
// from the end of the one before to its own. Work of a step may begin before that of the one before is done, as copies
// do.
#pragma once

#include <functional>
#include <vector>

#include "planner/trace/busy.h"

namespace planner::trace {

/// When steps and events are, as measured or as replayed.
struct StepTimes {
  std::function<Interval(size_t)> host;   // of a step: to the begin of the next one, of the last to its own end
  std::function<int64_t(size_t)> done;    // of a step: the last end of what was launched in it
  std::function<int64_t(size_t)> before;  // of an event in `Step::before`: its end
};

/// Returns the windows of a rank's steps. REQUIRES: `set_windows`, as measured.
std::vector<Interval> windows_of(const std::vector<Step>& steps, const StepTimes& times);

/// Returns the time from a step's begin on the host to the next one's, and of the last one its own.
Interval period_of(const std::vector<Step>& steps, size_t at);

/// Returns the time from the end of the step before on the device to a step's own end; of the first one its own time.
Interval device_period_of(const std::vector<Step>& steps, size_t at);

/// Says of each step when it is. REQUIRES: `events` and `device` are there.
void set_windows(const RankTrace& trace, std::vector<Step>& steps);

/// Returns by how much work of a step ends behind its time on the host, at most; 0: none does.
int64_t behind_ns(const std::vector<Step>& steps);

}  // namespace planner::trace
