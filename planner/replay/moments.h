// The times of a graph that are of no kernel and of no collective, learned from some runs and given to others.
#pragma once

#include <functional>

#include "planner/replay/replayed.h"
#include "planner/replay/statistics.h"

namespace planner::replay {

/// Selects moments: those of a rank of the trace, at a host time.
using Takes = std::function<bool(size_t rank, int64_t host_ns)>;

/// Adds the measurements of a trace. `steps`: the step of an event gives its place there; null: no places.
void learn(const trace::Trace& trace, const Replayed& replayed, const Takes& takes, Statistics& statistics,
           const trace::RankSteps* steps = nullptr);

/// Gives times their means; one of whose kind nothing is known stays. Returns how many had one, of how many.
struct MeanCount {
  size_t times = 0, of = 0;
};
MeanCount give(const Statistics& statistics, const trace::Trace& trace, const Takes& takes, Replayed& replayed,
               const trace::RankSteps* steps = nullptr);

}  // namespace planner::replay
