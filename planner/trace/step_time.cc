#include "planner/trace/step_time.h"

#include <fmt/format.h>

#include <vector>

#include "planner/trace/busy.h"

namespace planner::trace {
namespace {

std::vector<Interval> marks_of(const RankTrace& rank) {
  std::vector<Interval> marks;
  for (const Event& event : rank.events)
    if (is_step_of(rank, event)) marks.push_back({event.start_ns, event.end_ns()});
  return marks;
}

/// REQUIRES: not empty.
double mean_ns(const std::vector<Interval>& marks) {
  if (marks.size() == 1) return static_cast<double>(marks[0].end_ns - marks[0].begin_ns);
  return static_cast<double>(marks.back().begin_ns - marks.front().begin_ns) / static_cast<double>(marks.size() - 1);
}

}  // namespace

StepTime step_time_of(const Trace& trace) {
  StepTime time;
  for (const RankTrace& rank : trace) {
    const std::vector<Interval> marks = marks_of(rank);
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
