// A trace and its replay, for tests.
#pragma once

#include "planner/replay/build.h"
#include "planner/replay/edits.h"
#include "planner/replay/path.h"
#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// An event of thread 1 of the host.
inline KinetoText& span(KinetoText& text, const char* category, const std::string& name, int64_t begin,
                        int64_t duration) {
  return text.event(category, name, 100, "1", std::to_string(begin), std::to_string(duration));
}

struct Replay {
  explicit Replay(const std::vector<KinetoText>& ranks) : Replay(sample::trace(ranks)) {}
  explicit Replay(planner::trace::Trace ranks) : trace(std::move(ranks)) {
    for (const planner::trace::RankTrace& rank : trace) steps.push_back(planner::trace::steps_of(rank));
    matched = planner::trace::match_collectives(trace);
    replayed = planner::replay::build_graph(trace, steps, matched);
  }

  /// Nanoseconds at which each rank is done, with changes.
  std::vector<int64_t> ends(const planner::replay::Edits& edits = {}) const {
    planner::replay::Replayed changed = replayed;
    planner::replay::apply(edits, trace, matched, changed);
    const auto runs = planner::replay::run(changed.graph).value();
    std::vector<int64_t> ends;
    for (const uint32_t node : changed.ends) ends.push_back(runs[node].end_ns);
    return ends;
  }
  /// The largest time between when an event was measured and when it is replayed.
  int64_t worst() const {
    const auto runs = planner::replay::run(replayed.graph).value();
    int64_t worst = 0;
    for (size_t r = 0; r < trace.size(); ++r)
      for (size_t i = 0; i < trace[r].events.size(); ++i) {
        const planner::replay::EventNodes& nodes = replayed.events[r][i];
        if (nodes.first == planner::replay::Run::kNone) continue;
        worst = std::max({worst, std::abs(runs[nodes.first].begin_ns - trace[r].events[i].start_ns),
                          std::abs(runs[nodes.last].end_ns - trace[r].events[i].end_ns())});
      }
    return worst;
  }

  planner::trace::Trace trace;
  std::vector<std::vector<planner::trace::Step>> steps;
  planner::trace::Matched matched;
  planner::replay::Replayed replayed;
};

}  // namespace sample
