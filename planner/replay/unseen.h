// How well the graph knows a run that it was not made from: ranks and steps as others predict them.
#pragma once

#include <vector>

#include "planner/replay/replayed.h"

namespace planner::replay {

/// A rank, or a step of one, whose host takes what those of the others do; and what it takes then.
struct Unseen {
  size_t rank = 0, step = 0;
  int64_t measured_ns = 0, predicted_ns = 0;
  // What whoever has no graph would say: the sum of what ran on the fullest stream; the mean of what the others took.
  int64_t largest_stream_ns = 0, others_mean_ns = 0;
};

/// Predicts each rank of a trace of several from the hosts of the others. With one rank, predicts each step from the
/// hosts and the devices of its other steps. Empty: there are no others.
std::vector<Unseen> predict_each(const trace::Trace& trace, const trace::RankSteps& steps, const Replayed& replayed);

}  // namespace planner::replay
