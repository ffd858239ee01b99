#include "planner/replay/measured.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/replay/build.h"
#include "planner/replay/data_edges.h"

namespace planner::replay {
namespace {

/// What ends in a run.
class RunEnds {
 public:
  RunEnds(size_t rank, const Replayed& replayed, std::span<const Run> runs, const Rebucketed* came)
      : rank_(rank), replayed_(replayed), runs_(runs), came_(came) {}

  int64_t of_event(size_t event) const {
    const uint32_t last = replayed_.events[rank_][event].last;
    const bool removed = came_ && !came_->removed.empty() && came_->removed[rank_][event];
    return last == Run::kNone || removed ? kNever : runs_[last].end_ns;
  }
  int64_t of_step(const trace::Step& step, size_t at) const {
    int64_t end = kNever;
    for (const size_t event : step.events) end = std::max(end, of_event(event));
    if (!came_) return end;
    for (const PutIn& each : came_->put_in)
      if (each.rank == rank_ && each.step == at) end = std::max(end, runs_[each.end].end_ns);
    return end;
  }

 private:
  const size_t rank_;
  const Replayed& replayed_;
  const std::span<const Run> runs_;
  const Rebucketed* const came_;
};

std::vector<trace::TimeInterval> windows_in(const std::vector<trace::Step>& steps, size_t rank,
                                            const Replayed& replayed, std::span<const Run> runs,
                                            const Rebucketed* came) {
  const RunEnds ends(rank, replayed, runs, came);
  const std::vector<StepNodes>& nodes = replayed.steps[rank];
  const auto host = [&](size_t at) {
    const int64_t begin = runs[nodes[at].begin].begin_ns;
    return trace::TimeInterval{begin, begin + period_ns(nodes, at, runs)};
  };
  return trace::windows_of(steps, {.host = host,
                                   .done = [&](size_t at) { return ends.of_step(steps[at], at); },
                                   .before = [&](size_t event) { return ends.of_event(event); }});
}

/// The end of the step that ends last: on its host, or where its device runs behind it there.
uint32_t last_end(const Measured& m) {
  uint32_t last = m.replayed.ends.front();
  int64_t at = std::numeric_limits<int64_t>::min();
  const auto look = [&](uint32_t node) {
    if (node != Run::kNone && m.runs[node].end_ns > at) last = node, at = m.runs[node].end_ns;
  };
  for (size_t r = 0; r < m.replayed.steps.size(); ++r) {
    if (m.replayed.steps[r].empty()) continue;
    look(m.replayed.steps[r].back().end);
    if (m.steps[r].empty() || !m.steps[r].back().of_device) continue;
    for (const size_t event : m.steps[r].back().events) look(m.replayed.events[r][event].last);
  }
  return last;
}

// Merges edges of tensors and of backward passes: a view passes on its base, whichever source names it.
size_t add_edges(const JoinedRank& joined, const trace::Trace& trace, Replayed& replayed) {
  std::vector<trace::Dependency> all = joined.tensors;
  all.insert(all.end(), joined.backward.begin(), joined.backward.end());
  return add_data_edges(trace[joined.rank], joined.rank, all, replayed);
}

}  // namespace

std::vector<int64_t> lengths_in(const std::vector<trace::Step>& steps, size_t rank, const Replayed& replayed,
                                std::span<const Run> runs, const Rebucketed* came) {
  std::vector<int64_t> lengths;
  for (const trace::TimeInterval& window : windows_in(steps, rank, replayed, runs, came))
    lengths.push_back(window.end_ns - window.begin_ns);
  return lengths;
}

double mean_seconds(const std::vector<std::vector<int64_t>>& lengths) {
  double sum = 0, steps = 0;
  for (const std::vector<int64_t>& rank : lengths)
    for (const int64_t ns : rank) sum += static_cast<double>(ns) * 1e-9, ++steps;
  return steps > 0 ? sum / steps : 0;
}

Measured::Measured(const trace::Trace& measured, trace::Clocks found, const Edits& edits, const Pricing& pricing,
                   std::vector<JoinedRank> joins)
    : trace(measured), clocks(std::move(found)), matched(trace::match_collectives(measured)), joined(std::move(joins)) {
  steps = trace::steps_of(trace);
  waits = trace::waits_of(trace, matched);
  if (pricing) priced = pricing(trace, matched);
  replayed = build_graph(trace, steps, matched);
  for (JoinedRank& each : joined) each.data_edges = add_edges(each, trace, replayed);
  std::optional<std::vector<Run>> run = replay::run(replayed.graph);
  if (!run) return;
  runs = *std::move(run);
  path = path_to(last_end(*this), trace, matched, replayed, runs);
  slacks = replay::slacks(replayed.graph, runs, last_end(*this));
  accounts.resize(trace.size());
  for (size_t r = 0; r < trace.size(); ++r) {
    for (const trace::Step& step : steps[r]) accounts[r].push_back(account_of(trace[r], r, step, replayed, runs));
    lengths.push_back(lengths_in(steps[r], r, replayed, runs));
  }
  asks = !edits.empty() || priced.other;
  if (!asks) return;
  SecondReplay second = with(edits, priced.other ? &*priced.other : nullptr);
  changed = std::move(second.runs);
  changed_ns = std::move(second.lengths);
  applied = std::move(second.applied);
}

SecondReplay Measured::with(const Edits& edits, const OtherMachine* other) const {
  SecondReplay made;
  Replayed graph = replayed;
  made.applied = apply(edits, trace, matched, graph);
  if (other) apply(*other, graph);
  std::optional<std::vector<Run>> again = replay::run(graph.graph);
  if (!again) return made;
  made.runs = *std::move(again);
  for (size_t r = 0; r < trace.size(); ++r)
    made.lengths.push_back(lengths_in(steps[r], r, graph, made.runs, &made.applied.rebucketed));
  return made;
}

double Measured::step_seconds() const {
  std::vector<std::vector<int64_t>> windows;
  for (const std::vector<StepAccount>& rank : accounts)
    for (windows.emplace_back(); const StepAccount& account : rank) windows.back().push_back(account.step_ns);
  return mean_seconds(windows);
}

}  // namespace planner::replay
