#include "planner/replay/measured.h"

#include <limits>
#include <utility>

#include "planner/replay/build.h"
#include "planner/replay/data_edges.h"

namespace planner::replay {
namespace {

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
