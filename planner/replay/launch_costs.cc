#include "planner/replay/launch_costs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace planner::replay {
namespace {

using trace::Event;

// The outermost operator that began behind a gradient and launched an event, or else the call that did.
trace::Interval launching(const trace::RankTrace& rank, const trace::Gradient& gradient, uint32_t call) {
  const Event& launch = rank.events[call];
  for (uint32_t i = gradient.event + 1; i < call; ++i) {
    const Event& event = rank.events[i];
    const bool covers = event.lane == launch.lane && event.kind == trace::Kind::op && event.end_ns() >= launch.end_ns();
    if (covers && event.start_ns > rank.events[gradient.event].start_ns) return {event.start_ns, event.end_ns()};
  }
  return {launch.start_ns, launch.end_ns()};
}

bool is_order(const HostTime& time, const Graph& graph) {
  return time.node != Run::kNone || graph.edges[time.edge].cause == Cause::order;
}

}  // namespace

LaunchCosts::LaunchCosts(const trace::RankTrace& rank, size_t number, Replayed& replayed)
    : rank_(rank), number_(static_cast<uint32_t>(number)), replayed_(replayed), host_(number, replayed) {
  for (size_t i = 0; i < replayed.host.size(); ++i)
    if (replayed.host[i].rank == number_ && is_order(replayed.host[i], replayed.graph)) times_.push_back(i);
  std::ranges::sort(times_, {}, [&](size_t i) {
    const HostTime& time = replayed.host[i];
    return std::tuple(time.lane, time.begin_ns, time.end_ns, i);
  });
}

void LaunchCosts::take_out(const trace::Gradient& gradient, const trace::GradientReduction& reduction) {
  const uint32_t call = rank_.launched_by[reduction.event];
  ++reductions_;
  if (call == trace::kNone) return;
  const uint32_t lane = rank_.events[gradient.event].lane;
  launched_ns_ += std::max<int64_t>(0, reduction.launched_ns - gradient.launched_ns);
  if (rank_.events[call].lane != lane) return;
  const trace::Interval span = launching(rank_, gradient, call);
  for (auto at = behind({lane, span.end_ns - 1}); at != times_.begin(); --at) {
    const HostTime& time = replayed_.host[*(at - 1)];
    if (time.lane != lane || time.end_ns <= span.begin_ns) break;
    take_part(time, span);
  }
}

void LaunchCosts::take_part(const HostTime& time, const trace::Interval& span) {
  if (time.end_ns == time.begin_ns) return;  // clocks of microseconds: a call that takes none
  const int64_t common = std::min(span.end_ns, time.end_ns) - std::max(span.begin_ns, time.begin_ns);
  const double share = static_cast<double>(common) / static_cast<double>(time.end_ns - time.begin_ns);
  int64_t& ns = time_of(time, replayed_.graph);
  const int64_t part = std::llround(static_cast<double>(ns) * share);
  ns -= part;
  taken_ns_ += part;
}

LaunchCosts::Times::const_iterator LaunchCosts::behind(const std::pair<uint32_t, int64_t>& moment) const {
  return std::ranges::upper_bound(
      times_, moment, {}, [&](size_t i) { return std::pair(replayed_.host[i].lane, replayed_.host[i].begin_ns); });
}

LaunchCosts::Launch LaunchCosts::put_in(const trace::Gradient& gradient, int times) {
  const uint32_t lane = rank_.events[gradient.event].lane;
  const HostTimes::Place place = host_.put_in(lane, gradient.launched_ns, each_ns() * times);
  if (place.node == Run::kNone)
    return {.node = replayed_.steps[number_].front().begin, .behind_begin_ns = mean(launched_ns_)};
  return {.node = place.node, .behind_begin_ns = place.behind_begin_ns + mean(launched_ns_)};
}

}  // namespace planner::replay
