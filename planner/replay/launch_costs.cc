#include "planner/replay/launch_costs.h"

#include <algorithm>

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

LaunchCosts::Launch LaunchCosts::put_in(const trace::Gradient& gradient, int times) {
  const uint32_t lane = rank_.events[gradient.event].lane;
  const HostTimes::Place place = host_.put_in(lane, gradient.launched_ns, each_ns() * times);
  if (place.node == Run::kNone)
    return {.node = replayed_.steps[number_].front().begin, .behind_begin_ns = mean(launched_ns_)};
  return {.node = place.node, .behind_begin_ns = place.behind_begin_ns + mean(launched_ns_)};
}

}  // namespace planner::replay
