#include "planner/replay/delays.h"

#include <fmt/format.h>

namespace planner::replay {
namespace {

// The host's own time between calls is no delay (overheads.h).
bool is_delay(const Edge& edge, bool to_device) {
  switch (edge.cause) {
    case Cause::order:
      return to_device;
    case Cause::launch:
    case Cause::event:
    case Cause::sync:
      return true;
    case Cause::hand_over:
      return edge.from_begin;
    case Cause::ranks:
    case Cause::start:
      return false;
  }
  return false;
}

}  // namespace

void Delays::each(const trace::Trace& trace, const Replayed& replayed, const Takes& takes,
                  const std::function<void(uint32_t, const Known::Keys&)>& use) {
  const std::vector<Place> places = places_of(replayed);
  for (uint32_t e = 0; e < replayed.graph.edges.size(); ++e) {
    const Edge& edge = replayed.graph.edges[e];
    const Place at = places[edge.to];
    if (!at.is_known()) continue;
    const trace::RankTrace& rank = trace[at.rank];
    const trace::Event& to = rank.events[at.event];
    const uint32_t call = rank.launched_by[at.event];
    if (!is_delay(edge, trace::is_on_device(to.kind))) continue;
    if (!takes(at.rank, call == trace::kNone ? to.start_ns : rank.events[call].start_ns)) continue;
    const int cause = static_cast<int>(edge.cause);
    use(e, {fmt::format("{}\n{}", cause, rank.name(to)), fmt::format("{}", cause)});
  }
}

// An edge of a lag of 0 held nothing up: how long it would have is not known.
void Delays::add(const trace::Trace& trace, const Replayed& replayed, const Takes& takes) {
  each(trace, replayed, takes, [&](uint32_t edge, const Known::Keys& keys) {
    if (const int64_t ns = replayed.graph.edges[edge].lag_ns) means_.add(keys, ns);
  });
}

void Delays::put(const trace::Trace& trace, const Takes& takes, Replayed& replayed) const {
  each(trace, replayed, takes, [&](uint32_t edge, const Known::Keys& keys) {
    if (const auto ns = means_.of(keys)) replayed.graph.edges[edge].lag_ns = *ns;
  });
}

}  // namespace planner::replay
