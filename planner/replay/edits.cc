#include "planner/replay/edits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace planner::replay {

namespace {

using trace::Event;
using trace::RankTrace;

int64_t scaled(int64_t ns, double factor) { return std::llround(static_cast<double>(ns) * factor); }

/// The time of a rank's thread that operators of a name take.
using Taken = std::map<std::pair<size_t, uint32_t>, trace::Union>;

/// Applies one scaling to what devices do, and finds the time of hosts that it is of.
class Scaler {
 public:
  Scaler(const Scaling& scaling, const trace::Trace& trace, const trace::Matched& matched, Replayed& replayed)
      : scaling_(scaling), trace_(trace), matched_(matched), replayed_(replayed), picked_(trace.size()) {}

  /// Returns how many events it found.
  size_t apply() {
    for (size_t r = 0; r < trace_.size(); ++r) {
      picked_[r].resize(trace_[r].events.size());
      if (!scaling_.rank || *scaling_.rank == r) find(r);
    }
    scale_transfers();
    return found_;
  }
  const Taken& taken() const { return taken_; }

 private:
  static std::vector<bool> named(const std::string& pattern, const RankTrace& rank) {
    std::vector<bool> named(rank.names.size());
    for (uint32_t n = 0; n < named.size(); ++n) named[n] = matches(pattern, rank.names[n]);
    return named;
  }

  // The begin of the first event named by "before"; the end of time if none is named.
  int64_t limit(const RankTrace& rank) const {
    if (scaling_.before.empty()) return std::numeric_limits<int64_t>::max();
    const std::vector<bool> ends = named(scaling_.before, rank);
    const auto first = std::ranges::find_if(rank.events, [&](const Event& event) { return ends[event.name]; });
    return first == rank.events.end() ? kNever : first->start_ns;
  }

  void find(size_t r) {
    const RankTrace& rank = trace_[r];
    const std::vector<bool> is_named = named(scaling_.pattern, rank);
    const int64_t limit_ns = limit(rank);
    for (size_t i = 0; i < rank.events.size() && rank.events[i].start_ns < limit_ns; ++i) {
      const Event& event = rank.events[i];
      if (!is_named[event.name] || event.kind == trace::EventKind::sync) continue;
      ++found_;
      picked_[r][i] = true;
      if (!trace::is_on_device(event.kind))
        taken_[{r, event.lane}].add({event.start_ns, std::min(event.end_ns(), limit_ns)});
    }
    if (scaling_.removes) find_launched(r);
    for (size_t i = 0; i < rank.events.size(); ++i) {
      const uint32_t node = replayed_.events[r][i].first;
      if (!picked_[r][i] || !trace::is_on_device(rank.events[i].kind) || node == Run::kNone) continue;
      replayed_.graph.nodes[node].duration_ns = scaled(replayed_.graph.nodes[node].duration_ns, scaling_.factor);
    }
  }

  // Finds the work launched in the host time that is removed.
  void find_launched(size_t r) {
    const RankTrace& rank = trace_[r];
    for (size_t i = 0; i < rank.events.size(); ++i) {
      if (rank.launched_by[i] == trace::kNone) continue;
      const Event& call = rank.events[rank.launched_by[i]];
      const auto thread = taken_.find({r, call.lane});
      if (thread != taken_.end() && thread->second.covers(call.start_ns)) picked_[r][i] = true;
    }
  }

  // A transfer is of all its ranks: it is found by the kernel of any. A PULL is of its own.
  void scale_transfers() {
    for (const Transfer& transfer : replayed_.transfers) {
      const std::vector<trace::Collective::Part>& parts = matched_.collectives[transfer.collective].parts;
      const auto is_picked = [&](const trace::Collective::Part& part) { return picked_[part.rank][part.event]; };
      const trace::Collective::Part& own = parts[transfer.part];
      const bool pulls = own.push != trace::kNone;
      if (scaling_.removes && (pulls ? picked_[own.rank][own.push] : is_picked(own)))
        replayed_.graph.edges[transfer.arrives].delays = false;  // the others do not wait for it
      if (pulls ? !is_picked(own) : !std::ranges::any_of(parts, is_picked)) continue;
      ReplayEdge& edge = replayed_.graph.edges[transfer.edge];
      if (!scaling_.removes) edge.lag_ns = scaled(edge.lag_ns, scaling_.factor);
      else if (is_picked(own)) leave_out(transfer, edge);
    }
  }

  // A rank that does not take part goes on.
  static void leave_out(const Transfer& transfer, ReplayEdge& edge) {
    edge.from = transfer.arrival;
    edge.lag_ns = 0;
  }

  const Scaling& scaling_;
  const trace::Trace& trace_;
  const trace::Matched& matched_;
  Replayed& replayed_;
  std::vector<std::vector<bool>> picked_;  // by rank, by event
  Taken taken_;
  size_t found_ = 0;
};

/// A moment from which on a factor holds, or no longer does.
struct Turn {
  int64_t at_ns = 0;
  size_t scaling = 0;
  bool begins = false;
};

// The turns of all scalings within a time of a thread.
std::vector<Turn> turns_in(const HostTime& time, const std::vector<Taken>& taken) {
  std::vector<Turn> turns;
  for (size_t s = 0; s < taken.size(); ++s) {
    const auto thread = taken[s].find({time.rank, time.lane});
    if (thread == taken[s].end()) continue;
    const std::vector<trace::TimeInterval>& parts = thread->second.parts();
    auto part = std::ranges::upper_bound(parts, time.begin_ns, {}, &trace::TimeInterval::end_ns);
    for (; part != parts.end() && part->begin_ns < time.end_ns; ++part) {
      turns.push_back({std::max(part->begin_ns, time.begin_ns), s, true});
      turns.push_back({std::min(part->end_ns, time.end_ns), s, false});
    }
  }
  std::ranges::stable_sort(turns, {}, &Turn::at_ns);
  return turns;
}

// The mean factor over the time. Where several scalings are of one moment, it has their product.
double mean_factor(const HostTime& time, const std::vector<Turn>& turns, const std::vector<Scaling>& scalings) {
  std::vector<bool> holds(scalings.size());
  double sum = 0;
  int64_t at = time.begin_ns;
  const auto until = [&](int64_t end) {
    double factor = 1;
    for (size_t s = 0; s < holds.size(); ++s)
      if (holds[s]) factor *= scalings[s].factor;
    sum += factor * static_cast<double>(end - at);
    at = end;
  };
  for (const Turn& turn : turns) {
    until(turn.at_ns);
    holds[turn.scaling] = turn.begins;
  }
  until(time.end_ns);
  return sum / static_cast<double>(time.end_ns - time.begin_ns);
}

// A call that waited for the device is shorter in the graph than it was measured: it takes the mean factor.
void scale_host(const std::vector<Scaling>& scalings, const std::vector<Taken>& taken, Replayed& replayed) {
  for (const HostTime& time : replayed.host) {
    const std::vector<Turn> turns = turns_in(time, taken);
    if (turns.empty() || time.end_ns <= time.begin_ns) continue;
    int64_t& ns = time_of(time, replayed.graph);
    ns = scaled(ns, mean_factor(time, turns, scalings));
  }
}

void speed_up_host(double speed, Replayed& replayed) {
  for (const HostTime& time : replayed.host) {
    int64_t& ns = time_of(time, replayed.graph);
    ns = scaled(ns, 1 / speed);
  }
}

// Each transfer begins with its own rank's arrival.
void drop_stragglers(Replayed& replayed) {
  for (const Transfer& transfer : replayed.transfers) replayed.graph.edges[transfer.edge].from = transfer.arrival;
}

void overlap_perfectly(const trace::Trace& trace, Replayed& replayed) {
  std::vector<bool> communicates(replayed.graph.nodes.size());
  for (size_t r = 0; r < trace.size(); ++r)
    for (size_t i = 0; i < trace[r].events.size(); ++i)
      if (trace[r].events[i].role == trace::Role::communication) communicates[replayed.events[r][i].last] = true;
  for (ReplayEdge& edge : replayed.graph.edges)
    if ((edge.cause == Cause::event || edge.cause == Cause::data) && communicates[edge.from]) edge.delays = false;
}

}  // namespace

Applied apply(const Edits& edits, const trace::Trace& trace, const trace::Matched& matched, Replayed& replayed) {
  Applied applied;
  if (edits.times)
    applied.times = give(
        *edits.times, trace, [](size_t, int64_t) { return true; }, replayed);
  if (!edits.passes.empty())
    applied.passes = apply(edits.passes, trace, work_of(trace, trace::steps_of(trace)), replayed);
  if (edits.decisions)
    applied.rebucketed =
        apply(*edits.decisions, trace, trace::gradients_of(trace, trace::steps_of(trace), matched), replayed);
  std::vector<Taken> taken;
  for (const Scaling& scaling : edits.scalings) {
    Scaler scaler(scaling, trace, matched, replayed);
    applied.scaled.push_back(scaler.apply());
    taken.push_back(scaler.taken());
  }
  scale_host(edits.scalings, taken, replayed);
  for (const Rearrangement& change : edits.rearrangements) applied.rearranged.push_back(apply(change, trace, replayed));
  if (edits.host_speed != 1) speed_up_host(edits.host_speed, replayed);
  if (edits.no_stragglers) drop_stragglers(replayed);
  if (edits.perfect_overlap) overlap_perfectly(trace, replayed);
  return applied;
}

}  // namespace planner::replay
