#include "planner/trace/step_window.h"

#include <algorithm>
#include <unordered_map>

namespace planner::trace {
namespace {

bool is_behind(const std::vector<Step>& steps) {
  const bool all_work = std::ranges::none_of(steps, [](const Step& step) { return step.events.empty(); });
  return all_work && steps.front().is_marked() && behind_ns(steps) > 0;
}

// What a device still did of an earlier step: a stream does its work in the order in which it got it, so that what ran
// there before the first of the step's own was launched before. Of other streams it is what was done before.
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

std::vector<Interval> windows_of(const std::vector<Step>& steps, const StepTimes& times) {
  std::vector<Interval> windows;
  for (size_t s = 0; s < steps.size(); ++s) {
    Interval window = times.host(s);
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

Interval period_of(const std::vector<Step>& steps, size_t at) {
  const Interval& host = steps[at].host;
  return {host.begin_ns, at + 1 < steps.size() ? steps[at + 1].host.begin_ns : host.end_ns};
}

Interval device_period_of(const std::vector<Step>& steps, size_t at) {
  const Interval& own = steps[at].device;
  return {at > 0 ? steps[at - 1].device.end_ns : own.begin_ns, own.end_ns};
}

int64_t behind_ns(const std::vector<Step>& steps) {
  int64_t behind = 0;
  for (size_t s = 0; s < steps.size(); ++s)
    if (!steps[s].events.empty()) behind = std::max(behind, steps[s].device.end_ns - period_of(steps, s).end_ns);
  return behind;
}

void set_windows(const RankTrace& trace, std::vector<Step>& steps) {
  if (steps.empty()) return;
  const bool of_device = is_behind(steps);
  for (Step& step : steps) step.of_device = of_device;
  if (of_device) steps.front().before = before(trace, steps.front());
  const std::vector<Interval> windows =
      windows_of(steps, {.host = [&](size_t s) { return period_of(steps, s); },
                         .done = [&](size_t s) { return steps[s].device.end_ns; },
                         .before = [&](size_t i) { return trace.events[i].end_ns(); }});
  for (size_t s = 0; s < steps.size(); ++s) steps[s].window = windows[s];
}

}  // namespace planner::trace
