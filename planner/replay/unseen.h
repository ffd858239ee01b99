// How well the graph knows a run that it was not made from: ranks and steps as others predict them.
#pragma once

#include <vector>

#include "planner/replay/replayed.h"

namespace planner::replay {

/// A rank, or a step of one, whose host times are those of the others; and its predicted time.
struct Unseen {
  size_t rank = 0, step = 0;
  int64_t measured_ns = 0, predicted_ns = 0;
  // Predictions without a graph: the sum of the work on the fullest stream; the mean time of the others.
  int64_t largest_stream_ns = 0, others_mean_ns = 0;
};

/// Predicts each rank of a trace of several from the hosts of the others. With one rank, predicts each step from the
/// hosts and the devices of its other steps. Empty: there are no others.
std::vector<Unseen> predict_each(const trace::Trace& trace, const trace::RankSteps& steps, const Replayed& replayed);

}  // namespace planner::replay
