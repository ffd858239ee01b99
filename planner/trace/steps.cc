#include "planner/trace/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

bool is_behind(const std::vector<Step>& steps) {
  const bool all_work = std::ranges::none_of(steps, [](const Step& step) { return step.events.empty(); });
  return all_work && steps.front().is_marked() && behind_ns(steps) > 0;
}

// The work of an earlier step that a device still does. A stream does its work in launch order, so work that ran there
// before the first of the step's own was launched before. For other streams it is the work that was done before.
std::vector<size_t> before(const RankTrace& trace, const Step& step) {
  std::unordered_map<uint32_t, int64_t> first;  // begin of the step's own, by stream
  for (const size_t i : step.events) first.try_emplace(trace.events[i].lane, trace.events[i].start_ns);
  std::vector<size_t> found;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!is_on_device(event.kind)) continue;
    const auto own = first.find(event.lane);
    const bool is_earlier = own != first.end() ? event.start_ns < own->second : event.end_ns() <= step.device.begin_ns;
    if (is_earlier) found.push_back(i);
  }
  return found;
}

}  // namespace

std::vector<TimeInterval> windows_of(const std::vector<Step>& steps, const StepTimes& times) {
  std::vector<TimeInterval> windows;
  for (size_t s = 0; s < steps.size(); ++s) {
    TimeInterval window = times.host(s);
    if (steps[s].of_device) {
      if (s > 0) window.begin_ns = windows.back().end_ns;
      for (const size_t event : steps[s].before) window.begin_ns = std::max(window.begin_ns, times.before(event));
      window.end_ns = times.done(s);
      if (s == 0) window.begin_ns = std::min(window.begin_ns, window.end_ns);
    }
    windows.push_back({window.begin_ns, std::max(window.begin_ns, window.end_ns)});
  }
  return windows;
}

TimeInterval period_of(const std::vector<Step>& steps, size_t at) {
  const TimeInterval& host = steps[at].host;
  return {host.begin_ns, at + 1 < steps.size() ? steps[at + 1].host.begin_ns : host.end_ns};
}

TimeInterval device_period_of(const std::vector<Step>& steps, size_t at) {
  const TimeInterval& own = steps[at].device;
  return {at > 0 ? steps[at - 1].device.end_ns : own.begin_ns, own.end_ns};
}

int64_t behind_ns(const std::vector<Step>& steps) {
  int64_t behind = 0;
  for (size_t s = 0; s < steps.size(); ++s)
    if (!steps[s].events.empty()) behind = std::max(behind, steps[s].device.end_ns - period_of(steps, s).end_ns);
  return behind;
}

namespace {

// The work launched in the step.
void fill(const RankTrace& trace, Step& step) {
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!is_on_device(event.kind)) continue;
    const uint32_t call = trace.launched_by[i];
    if (call == kNone && !is_with_server(event.kind)) continue;
    const int64_t at = launched_ns(trace, i);
    if (at >= step.host.begin_ns && at < step.host.end_ns) step.events.push_back(i);
  }
  step.launched = busy_of(trace, step.events, step.device);
}

TimeInterval span_of(const RankTrace& trace) {
  TimeInterval whole{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const Event& event : trace.events)
    whole = {std::min(whole.begin_ns, event.start_ns), std::max(whole.end_ns, event.end_ns())};
  return whole;
}

// Says of each step when it is. REQUIRES: `events` and `device` are there.
void set_windows(const RankTrace& trace, std::vector<Step>& steps) {
  if (steps.empty()) return;
  const bool of_device = is_behind(steps);
  for (Step& step : steps) step.of_device = of_device;
  if (of_device) steps.front().before = before(trace, steps.front());
  const std::vector<TimeInterval> windows =
      windows_of(steps, {.host = [&](size_t s) { return period_of(steps, s); },
                         .done = [&](size_t s) { return steps[s].device.end_ns; },
                         .before = [&](size_t i) { return trace.events[i].end_ns(); }});
  for (size_t s = 0; s < steps.size(); ++s) steps[s].window = windows[s];
}

}  // namespace

bool is_step_of(const RankTrace& trace, const Event& event) {
  return event.kind == EventKind::annotation && is_step(trace.name(event));
}

std::vector<Step> steps_of(const RankTrace& trace) {
  std::vector<Step> steps;
  for (const Event& event : trace.events) {
    if (!is_step_of(trace, event)) continue;
    steps.push_back({.name = trace.name(event), .host = {event.start_ns, event.end_ns()}});
  }
  if (steps.empty() && !trace.events.empty()) steps.push_back({.name = "", .host = span_of(trace)});
  for (Step& step : steps) fill(trace, step);
  set_windows(trace, steps);
  for (Step& step : steps) step.ran = busy_within(trace, step.window);
  return steps;
}

RankSteps steps_of(const Trace& trace) {
  RankSteps steps;
  for (const RankTrace& rank : trace) steps.push_back(steps_of(rank));
  return steps;
}

namespace {

std::vector<TimeInterval> marks_of(const RankTrace& rank) {
  std::vector<TimeInterval> marks;
  for (const Event& event : rank.events)
    if (is_step_of(rank, event)) marks.push_back({event.start_ns, event.end_ns()});
  return marks;
}

/// REQUIRES: not empty.
double mean_ns(const std::vector<TimeInterval>& marks) {
  if (marks.size() == 1) return static_cast<double>(marks[0].end_ns - marks[0].begin_ns);
  return static_cast<double>(marks.back().begin_ns - marks.front().begin_ns) / static_cast<double>(marks.size() - 1);
}

}  // namespace

StepTime step_time_of(const Trace& trace) {
  StepTime time;
  for (const RankTrace& rank : trace) {
    const std::vector<TimeInterval> marks = marks_of(rank);
    if (rank.events.empty()) time.wrong = fmt::format("'{}' has no events", rank.file);
    else if (marks.empty()) time.wrong = fmt::format("'{}' marks no steps", rank.file);
    else if (&rank != &trace.front() && marks.size() != time.steps)
      time.wrong = fmt::format("'{}' marks {} steps, '{}' {}", trace.front().file, time.steps, rank.file, marks.size());
    if (!time.wrong.empty()) return time;
    time.steps = marks.size();
    time.seconds += mean_ns(marks) * 1e-9 / static_cast<double>(trace.size());
  }
  if (time.seconds <= 0) time.wrong = "the steps take no time";
  if (trace.empty()) time.wrong = "there is no rank";
  return time;
}

}  // namespace planner::trace
