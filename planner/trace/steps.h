// The steps of a rank, and when they are: one window each, which follow one another.
//
// A step is its host's, from its begin to that of the next one (of the last to its own end), where all that was
// launched in a step is done by then on every step. Else the device runs behind its host, and a step is the device's:
// from the end of the one before to its own. Work of a step may begin before that of the one before is done, as copies
// do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/trace/busy.h"

namespace planner::trace {

/// A step that the profiler marked.
struct Step {
  std::string name = "";            // "ProfilerStep#10"
  TimeInterval host = {};           // on its host
  TimeInterval device = {};         // from the first begin to the last end of the work launched in it; empty: none
  std::vector<size_t> events = {};  // of the device, that were launched in it
  bool is_marked() const { return !name.empty(); }
  TimeInterval window = {};         // the step: steps of a rank follow one another (see above)
  bool of_device = false;           // whether that is its device's time, and not its host's
  std::vector<size_t> before = {};  // of the first step of such a device: its remaining work of an earlier one
  Busy launched = {}, ran = {};     // of `events`, in `device`; of what ran on the device in `window`
};
/// Returns whether an event marks a step.
bool is_step_of(const RankTrace& trace, const Event& event);
/// Returns the steps, by time; one of the whole trace, named "", where none is marked.
std::vector<Step> steps_of(const RankTrace& trace);

/// Steps of a run, by rank.
using RankSteps = std::vector<std::vector<Step>>;
RankSteps steps_of(const Trace& trace);

/// When steps and events are, as measured or as replayed.
struct StepTimes {
  std::function<TimeInterval(size_t)> host;  // of a step: to the begin of the next one, of the last to its own end
  std::function<int64_t(size_t)> done;       // of a step: the last end of the work launched in it
  std::function<int64_t(size_t)> before;     // of an event in `Step::before`: its end
};

/// Returns the windows of a rank's steps. REQUIRES: steps of a trace, as measured.
std::vector<TimeInterval> windows_of(const std::vector<Step>& steps, const StepTimes& times);

/// Returns the time from a step's begin on the host to the next one's, and of the last one its own.
TimeInterval period_of(const std::vector<Step>& steps, size_t at);

/// Returns the time from the end of the step before on the device to a step's own end; of the first one its own time.
TimeInterval device_period_of(const std::vector<Step>& steps, size_t at);

/// Returns by how much work of a step ends behind its time on the host, at most; 0: none does.
int64_t behind_ns(const std::vector<Step>& steps);

/// How long an iteration of a run took, from the steps that its profiler marked.
struct StepTime {
  double seconds = 0;
  size_t steps = 0;   // that each rank marks
  std::string wrong;  // why there is no time; "": there is one
};

/// Returns the mean over ranks and steps from the begin of a step on the host to the begin of the next. A last step has
/// none behind it and is not counted, but where it is the only one: then it is its own time on the host. Wrong: a rank
/// without events or marked steps, ranks that mark different numbers of steps, steps
/// that take no time.
StepTime step_time_of(const Trace& trace);

}  // namespace planner::trace
