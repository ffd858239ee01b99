#include "planner/replay/measured.h"

#include <limits>
#include <utility>

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

}  // namespace

Measured::Measured(const trace::Trace& measured, trace::Clocks found, const Edits& edits, const Pricing& pricing)
    : trace(measured), clocks(std::move(found)), matched(trace::match_collectives(measured)) {
  for (const trace::RankTrace& rank : trace) steps.push_back(trace::steps_of(rank));
  waits = trace::waits_of(trace, matched);
  if (pricing) priced = pricing(trace, matched);
  replayed = build_graph(trace, steps, matched);
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
