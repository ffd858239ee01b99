#include "planner/replay/moments.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "planner/trace/operators.h"

namespace planner::replay {
namespace {

using trace::RankTrace;

std::string_view name_of(const RankTrace& rank, uint32_t event) {
  return event == trace::kNone ? std::string_view() : rank.name(rank.events[event]);
}

std::string_view operator_at(const RankTrace& rank, const trace::Operators& operators, uint32_t lane, int64_t at_ns) {
  const trace::Event* op = operators.at(lane, at_ns);
  if (!op) return {};
  return trace::is_step_of(rank, *op) ? "ProfilerStep" : std::string_view(rank.name(*op));  // one of any number
}

/// Counts moments of a kind in each step. A step's moments are looked up in one order.
class StepPlaces {
 public:
  explicit StepPlaces(const trace::RankSteps* steps) : steps_(steps) {}

  void put(uint32_t rank, int64_t at_ns, TimeMoment& moment) {
    if (!steps_) return;
    const std::vector<trace::Step>& steps = (*steps_)[rank];
    const auto behind =
        std::ranges::upper_bound(steps, at_ns, {}, [](const trace::Step& s) { return s.host.begin_ns; });
    if (behind == steps.begin()) return;
    const auto step = behind - steps.begin();
    moment.place = seen_[{rank, step, moment.kind, moment.begin, moment.end, moment.before, moment.after}]++;
  }

 private:
  using Key = std::tuple<uint32_t, std::ptrdiff_t, TimeKind, std::string_view, std::string_view, std::string_view,
                         std::string_view>;
  const trace::RankSteps* steps_;
  std::map<Key, int64_t> seen_;
};

template <class Use> void each_host_time(const trace::Trace& trace, const Replayed& replayed, const Takes& takes,
                                         const trace::RankSteps* steps, Use use) {
  std::vector<trace::Operators> operators;
  StepPlaces places(steps);
  for (const RankTrace& rank : trace) operators.emplace_back(rank);
  for (const HostTime& time : replayed.host) {
    if (!takes(time.rank, time.begin_ns)) continue;
    const RankTrace& rank = trace[time.rank];
    TimeMoment moment{.kind = time.node != Run::kNone ? TimeKind::call : TimeKind::between,
                      .begin = operator_at(rank, operators[time.rank], time.lane, time.begin_ns),
                      .end = operator_at(rank, operators[time.rank], time.lane, time.end_ns),
                      .before = name_of(rank, time.before),
                      .after = name_of(rank, time.after)};
    places.put(time.rank, time.begin_ns, moment);
    use(moment, time);
  }
}

// nullopt: the edge is the host's own time, of a collective, or the begin of something.
std::optional<TimeKind> kind_of(const ReplayEdge& edge, bool to_device) {
  switch (edge.cause) {
    case Cause::order:
      return to_device ? std::optional(TimeKind::stream) : std::nullopt;
    case Cause::launch:
      return TimeKind::launch;
    case Cause::event:
      return TimeKind::event;
    case Cause::sync:
      return TimeKind::sync;
    case Cause::hand_over:
      return edge.from_begin ? std::optional(TimeKind::hand_over) : std::nullopt;
    case Cause::data:
    case Cause::ranks:
    case Cause::start:
      return std::nullopt;
  }
  return std::nullopt;
}

template <class Use> void each_delay(const trace::Trace& trace, const Replayed& replayed, const Takes& takes,
                                     const trace::RankSteps* steps, Use use) {
  const std::vector<EventPlace> places = places_of(replayed);
  StepPlaces in_steps(steps);
  for (uint32_t e = 0; e < replayed.graph.edges.size(); ++e) {
    const ReplayEdge& edge = replayed.graph.edges[e];
    const EventPlace at = places[edge.to];
    if (!at.is_known()) continue;
    const RankTrace& rank = trace[at.rank];
    const trace::Event& to = rank.events[at.event];
    const uint32_t call = rank.launched_by[at.event];
    const std::optional<TimeKind> kind = kind_of(edge, trace::is_on_device(to.kind));
    const int64_t host_ns = call == trace::kNone ? to.start_ns : rank.events[call].start_ns;
    if (!kind || !takes(at.rank, host_ns)) continue;
    TimeMoment moment{.kind = *kind, .after = rank.name(to)};
    in_steps.put(at.rank, host_ns, moment);
    use(moment, e);
  }
}

}  // namespace

void learn(const trace::Trace& trace, const Replayed& replayed, const Takes& takes, Statistics& statistics,
           const trace::RankSteps* steps) {
  each_host_time(trace, replayed, takes, steps, [&](const TimeMoment& moment, const HostTime& time) {
    statistics.add(moment, static_cast<double>(time_of(time, replayed.graph)));
  });
  // An edge of a lag of 0 held nothing up: how long it would have is not known.
  each_delay(trace, replayed, takes, steps, [&](const TimeMoment& moment, uint32_t edge) {
    if (const int64_t ns = replayed.graph.edges[edge].lag_ns) statistics.add(moment, static_cast<double>(ns));
  });
}

MeanCount give(const Statistics& statistics, const trace::Trace& trace, const Takes& takes, Replayed& replayed,
               const trace::RankSteps* steps) {
  MeanCount given;
  const auto put = [&](const TimeMoment& moment, int64_t& ns) {
    const std::optional<int64_t> mean = statistics.mean_ns(moment);
    if (mean) ns = *mean;
    given.times += mean.has_value();
    ++given.of;
  };
  each_host_time(trace, replayed, takes, steps,
                 [&](const TimeMoment& moment, const HostTime& time) { put(moment, time_of(time, replayed.graph)); });
  each_delay(trace, replayed, takes, steps,
             [&](const TimeMoment& moment, uint32_t edge) { put(moment, replayed.graph.edges[edge].lag_ns); });
  return given;
}

}  // namespace planner::replay
