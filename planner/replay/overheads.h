// What hosts take, as means by what they do: to tell how long a run takes that was not measured.
//
// The time of a thread between two calls of the runtime, and of the calls, is what Lin et al. call T1 to T5 (section
// IV-C): between operators, in an operator before its first launch, behind its last, of a launch, between two launches.
// Here each is known by the operators that the thread is in at its begin and at its end and by the calls before and
// behind it; where nothing was seen of this kind, by less of it.
#pragma once

#include <functional>

#include "planner/replay/build.h"
#include "planner/replay/means.h"

namespace planner::replay {

/// Which times count: those of some ranks, of some steps.
using Takes = std::function<bool(const HostTime&)>;

class Overheads {
 public:
  /// Adds the times of a trace.
  void add(const trace::Trace& trace, const Replayed& replayed, const Takes& takes);
  /// Gives times their means; one of which nothing is known stays.
  void put(const trace::Trace& trace, const Takes& takes, Replayed& replayed) const;

 private:
  using Known = Means<4>;
  static void each(const trace::Trace& trace, const std::vector<HostTime>& times, const Takes& takes,
                   const std::function<void(const HostTime&, const Known::Keys&)>& use);

  Known means_;
};

/// A rank, or a step of one, whose host takes what those of the others do; and what it takes then.
struct Unseen {
  size_t rank = 0, step = 0;
  int64_t measured_ns = 0, predicted_ns = 0;
  int64_t largest_stream_ns = 0;  // the baseline: the sum of what ran on the fullest stream
};

/// Predicts each rank of a trace of several from the hosts of the others; of one rank each step from the hosts and the
/// devices of its other steps. Empty: there are no others.
std::vector<Unseen> predict_each(const trace::Trace& trace, const std::vector<std::vector<trace::Step>>& steps,
                                 const Replayed& replayed);

}  // namespace planner::replay
