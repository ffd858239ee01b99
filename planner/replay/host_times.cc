#include "planner/replay/host_times.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace planner::replay {
namespace {

bool is_of_thread(const HostTime& time, const Graph& graph) {
  return time.node != Run::kNone || graph.edges[time.edge].cause == Cause::order;
}

}  // namespace

HostTimes::HostTimes(size_t rank, Replayed& replayed) : replayed_(replayed) {
  for (size_t i = 0; i < replayed.host.size(); ++i)
    if (replayed.host[i].rank == rank && is_of_thread(replayed.host[i], replayed.graph)) times_.push_back(i);
  std::ranges::sort(times_, {}, [&](size_t i) {
    const HostTime& time = replayed.host[i];
    return std::tuple(time.lane, time.begin_ns, time.end_ns, i);
  });
}

HostTimes::Times::const_iterator HostTimes::behind(uint32_t lane, int64_t at_ns) const {
  return std::ranges::upper_bound(times_, std::pair(lane, at_ns), {}, [&](size_t i) {
    return std::pair(replayed_.host[i].lane, replayed_.host[i].begin_ns);
  });
}

int64_t HostTimes::own_ns(uint32_t lane, int64_t begin_ns, int64_t end_ns) const {
  double sum = 0;
  auto at = behind(lane, begin_ns);
  if (at != times_.begin()) --at;
  for (; at != times_.end(); ++at) {
    const HostTime& time = replayed_.host[*at];
    if (time.lane < lane) continue;
    if (time.lane > lane || time.begin_ns >= end_ns) break;
    const int64_t common = std::min(end_ns, time.end_ns) - std::max(begin_ns, time.begin_ns);
    if (common <= 0 || time.end_ns <= time.begin_ns) continue;
    const double share = static_cast<double>(common) / static_cast<double>(time.end_ns - time.begin_ns);
    sum += static_cast<double>(std::max<int64_t>(0, time_of(time, replayed_.graph))) * share;
  }
  return std::llround(sum);
}

int64_t HostTimes::take_out(uint32_t lane, const trace::TimeInterval& span) {
  int64_t taken_ns = 0;
  for (auto at = behind(lane, span.end_ns - 1); at != times_.begin(); --at) {
    const HostTime& time = replayed_.host[*(at - 1)];
    if (time.lane != lane || time.end_ns <= span.begin_ns) break;
    if (time.end_ns == time.begin_ns) continue;  // clocks of microseconds: a call that takes none
    const int64_t common = std::min(span.end_ns, time.end_ns) - std::max(span.begin_ns, time.begin_ns);
    const double share = static_cast<double>(common) / static_cast<double>(time.end_ns - time.begin_ns);
    int64_t& ns = time_of(time, replayed_.graph);
    const int64_t part = std::llround(static_cast<double>(ns) * share);
    ns -= part;
    taken_ns += part;
  }
  return taken_ns;
}

// A node within the time between two calls, followed by the rest of that time.
uint32_t HostTimes::split(size_t number, int64_t at_ns, int64_t duration_ns) {
  const HostTime time = replayed_.host[number];
  Graph& graph = replayed_.graph;
  const uint32_t node = graph.add(ReplayNode{.duration_ns = duration_ns});
  ReplayEdge& rest = graph.edges[time.edge];
  const double share = static_cast<double>(at_ns - time.begin_ns) / static_cast<double>(time.end_ns - time.begin_ns);
  const int64_t before = std::llround(static_cast<double>(rest.lag_ns) * share);
  const ReplayEdge first{.from = rest.from, .to = node, .lag_ns = before};
  rest.from = node;
  rest.lag_ns -= before;
  HostTime until = time;
  until.end_ns = replayed_.host[number].begin_ns = at_ns;
  until.edge = static_cast<uint32_t>(graph.edges.size());
  graph.add(first);
  replayed_.host.push_back(until);
  return node;
}

HostTimes::HostPlace HostTimes::put_in(uint32_t lane, int64_t at_ns, int64_t duration_ns) {
  auto found = behind(lane, at_ns);
  const bool has_before = found != times_.begin() && replayed_.host[*(found - 1)].lane == lane;
  const bool has_behind = found != times_.end() && replayed_.host[*found].lane == lane;
  if (!has_before && !has_behind) return {};
  const size_t number = has_before ? *(found - 1) : *found;
  const HostTime time = replayed_.host[number];
  if (time.node == Run::kNone && has_before && time.end_ns >= at_ns && time.end_ns > time.begin_ns)
    return {.node = split(number, at_ns, duration_ns), .behind_begin_ns = 0};
  // The time behind the call, or before the first, is unknown: the call itself takes longer.
  const uint32_t node = time.node == Run::kNone ? replayed_.graph.edges[time.edge].to : time.node;
  const int64_t before = replayed_.graph.nodes[node].duration_ns;
  replayed_.graph.nodes[node].duration_ns += duration_ns;
  return {.node = node, .behind_begin_ns = before};
}

namespace {

using trace::Event;

// The outermost operator that began behind a gradient and launched an event, or else the call that did.
trace::TimeInterval launching(const trace::RankTrace& rank, const trace::Gradient& gradient, uint32_t call) {
  const Event& launch = rank.events[call];
  for (uint32_t i = gradient.event + 1; i < call; ++i) {
    const Event& event = rank.events[i];
    const bool covers =
        event.lane == launch.lane && event.kind == trace::EventKind::op && event.end_ns() >= launch.end_ns();
    if (covers && event.start_ns > rank.events[gradient.event].start_ns) return {event.start_ns, event.end_ns()};
  }
  return {launch.start_ns, launch.end_ns()};
}

}  // namespace

LaunchCosts::LaunchCosts(const trace::RankTrace& rank, size_t number, Replayed& replayed)
    : rank_(rank), number_(static_cast<uint32_t>(number)), replayed_(replayed), host_(number, replayed) {}

void LaunchCosts::take_out(const trace::Gradient& gradient, const trace::GradientReduction& reduction) {
  const uint32_t call = rank_.launched_by[reduction.event];
  ++reductions_;
  if (call == trace::kNone) return;
  const uint32_t lane = rank_.events[gradient.event].lane;
  launched_ns_ += std::max<int64_t>(0, reduction.launched_ns - gradient.launched_ns);
  if (rank_.events[call].lane != lane) return;
  taken_ns_ += host_.take_out(lane, launching(rank_, gradient, call));
}

LaunchCosts::LaunchPlace LaunchCosts::put_in(const trace::Gradient& gradient, int times) {
  const uint32_t lane = rank_.events[gradient.event].lane;
  const HostTimes::HostPlace place = host_.put_in(lane, gradient.launched_ns, each_ns() * times);
  if (place.node == Run::kNone)
    return {.node = replayed_.steps[number_].front().begin, .behind_begin_ns = mean(launched_ns_)};
  return {.node = place.node, .behind_begin_ns = place.behind_begin_ns + mean(launched_ns_)};
}

}  // namespace planner::replay
