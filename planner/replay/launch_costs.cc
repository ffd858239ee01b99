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
    : rank_(rank), number_(static_cast<uint32_t>(number)), replayed_(replayed) {
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

// A node within the time between two calls; behind it what is left of that.
uint32_t LaunchCosts::split(size_t number, int64_t at_ns, int64_t duration_ns) {
  const HostTime time = replayed_.host[number];
  Graph& graph = replayed_.graph;
  const uint32_t node = graph.add(Node{.duration_ns = duration_ns});
  Edge& rest = graph.edges[time.edge];
  const double share = static_cast<double>(at_ns - time.begin_ns) / static_cast<double>(time.end_ns - time.begin_ns);
  const int64_t before = std::llround(static_cast<double>(rest.lag_ns) * share);
  const Edge first{.from = rest.from, .to = node, .lag_ns = before};
  rest.from = node;
  rest.lag_ns -= before;
  HostTime until = time;
  until.end_ns = replayed_.host[number].begin_ns = at_ns;
  until.edge = static_cast<uint32_t>(graph.edges.size());
  graph.add(first);
  replayed_.host.push_back(until);
  return node;
}

LaunchCosts::Launch LaunchCosts::put_in(const trace::Gradient& gradient, int times) {
  const int64_t at = gradient.launched_ns, duration = each_ns() * times;
  const uint32_t lane = rank_.events[gradient.event].lane;
  const auto next = behind({lane, at});
  if (next == times_.begin() || replayed_.host[*(next - 1)].lane != lane)
    return {.node = replayed_.steps[number_].front().begin, .behind_begin_ns = mean(launched_ns_)};
  const size_t number = *(next - 1);
  const HostTime time = replayed_.host[number];
  if (time.node == Run::kNone && time.end_ns >= at && time.end_ns > time.begin_ns)
    return {.node = split(number, at, duration), .behind_begin_ns = mean(launched_ns_)};
  // Nothing is known of the time behind the call: it takes so much longer itself.
  const uint32_t node = time.node == Run::kNone ? replayed_.graph.edges[time.edge].to : time.node;
  const int64_t before = replayed_.graph.nodes[node].duration_ns;
  replayed_.graph.nodes[node].duration_ns += duration;
  return {.node = node, .behind_begin_ns = before + mean(launched_ns_)};
}

}  // namespace planner::replay
