#include "planner/replay/measured.h"

#include <limits>
#include <utility>

#include "planner/replay/data_edges.h"

namespace planner::replay {
namespace {

/// The end of the step that ends last.
uint32_t last_end(const Measured& m) {
  uint32_t last = m.replayed.ends.front();
  int64_t at = std::numeric_limits<int64_t>::min();
  for (const auto& steps : m.replayed.steps)
    if (!steps.empty() && m.runs[steps.back().end].end_ns > at) last = steps.back().end, at = m.runs[last].end_ns;
  return last;
}

// What tensors and backward passes say, as one: a view passes on what it is of, whichever said so.
size_t add_edges(const JoinedRank& joined, const trace::Trace& trace, Replayed& replayed) {
  std::vector<trace::Dependency> all = joined.tensors;
  all.insert(all.end(), joined.backward.begin(), joined.backward.end());
  return add_data_edges(trace[joined.rank], joined.rank, all, replayed);
}

}  // namespace

Measured::Measured(const trace::Trace& measured, trace::Clocks found, const Edits& edits, const Pricing& pricing,
                   std::vector<JoinedRank> joins)
    : trace(measured), clocks(std::move(found)), matched(trace::match_collectives(measured)), joined(std::move(joins)) {
  for (const trace::RankTrace& rank : trace) steps.push_back(trace::steps_of(rank));
  waits = trace::waits_of(trace, matched);
  if (pricing) priced = pricing(trace, matched);
  replayed = build_graph(trace, steps, matched);
  for (JoinedRank& each : joined) each.data_edges = add_edges(each, trace, replayed);
  std::optional<std::vector<Run>> run = replay::run(replayed.graph);
  if (!run) return;
  runs = *std::move(run);
  path = path_to(last_end(*this), trace, matched, replayed, runs);
  slacks = replay::slacks(replayed.graph, runs, last_end(*this));
  asks = !edits.empty() || priced.other;
  if (!asks) return;
  Replayed other = replayed;
  applied = apply(edits, trace, matched, other);
  if (priced.other) apply(*priced.other, other);
  if (std::optional<std::vector<Run>> again = replay::run(other.graph)) changed = *std::move(again);
}

}  // namespace planner::replay
