// A workload with the seconds of its operators, and their sums by block, phase and stage.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "operator_models/cost.h"
#include "planner/workload/workload.h"

namespace planner {

/// One phase of one block (or of all step operators): seconds by kind.
struct PhaseTime {
  double compute = 0;     // kernels
  double serialized = 0;  // communication that nothing hides
  double exposed = 0;     // the part of hidden communication that sticks out
  double host = 0;        // the host launches slower than the device computes
  double total() const { return compute + serialized + exposed + host; }
  PhaseTime& operator+=(const PhaseTime& o) {
    compute += o.compute;
    serialized += o.serialized;
    exposed += o.exposed;
    host += o.host;
    return *this;
  }
  friend PhaseTime operator*(double k, PhaseTime t) {
    return {k * t.compute, k * t.serialized, k * t.exposed, k * t.host};
  }
};

struct CostedOp {
  const WorkOp* work = nullptr;
  operator_models::Cost cost;  // of one call
  double exposed = 0;          // communication: exposed seconds per call
  bool communication = false;
};

/// Communication from the view of the work that hides it.
struct HiddenTransfer {
  double seconds = 0, count = 1;    // one call; calls
  double slowdown = 1, hidden = 1;  // overlap.h: contention_of, hidden_of
  double relative_error = 0;        // one standard error
  size_t kind = 0;                  // number of its alternative of Operator
  int wire = -1, stream = 0;        // overlap.h: wire_of; transfers of one stream wait for each other
  double bucket_share = 0;          // of all calls: one bucket, which begins when it is full; 0: there are no buckets
  double exposed = 0;               // one call
  bool assumed = false;             // its seconds rest on assumed figures
};

inline bool is_assumed(const operator_models::Cost& cost) {
  return cost.provenance == operator_models::Provenance::assumed;
}

inline constexpr size_t kMostTiers = 6;
using WireSeconds = std::array<double, kMostTiers + 2>;  // by wire (overlap.h)

/// Seconds and their standard errors by kind of operator (of communication those that are exposed).
struct ErrorSum {
  std::array<double, operator_models::kKindNames.size()> kinds{};  // seconds x standard error
  double seconds = 0;                                              // of all
  double assumed = 0;                                              // of all: the part that depends on assumed figures
  void add(size_t kind, double of_kind, double relative_error, bool is_assumed) {
    kinds[kind] += of_kind * relative_error;
    seconds += of_kind;
    if (is_assumed) assumed += of_kind;
  }
  void add(double times, const ErrorSum& o) {
    for (size_t i = 0; i < kinds.size(); ++i) kinds[i] += times * o.kinds[i];
    seconds += times * o.seconds;
    assumed += times * o.assumed;
  }
};

/// Sums of blocks and stages for one microbatch, in addition to their times.
struct BlockTotals {
  double matrix_flops = 0, adapter_flops = 0;  // executed in matrix products; those of adapters in the forward pass
  ErrorSum errors;
  WireSeconds busy_forward{}, busy_backward{};  // of communication, hidden or not; backward with recompute
  void add(double times, const BlockTotals& o) {
    matrix_flops += times * o.matrix_flops;
    adapter_flops += times * o.adapter_flops;
    errors.add(times, o.errors);
    for (size_t i = 0; i < busy_forward.size(); ++i) {
      busy_forward[i] += times * o.busy_forward[i];
      busy_backward[i] += times * o.busy_backward[i];
    }
  }
};

/// The backward pass where a schedule runs the gradients of the weights by themselves.
struct SplitBackward {
  PhaseTime inputs, weights;
  PhaseTime total() const { return PhaseTime(inputs) += weights; }
};

/// A pass over some operators, except those that hide under all of it: also needed for the race with the host.
struct PassSums {
  PhaseTime time;
  double host = 0;                            // seconds to launch them one after the other
  double routed_host = 0, routed_device = 0;  // of those that the host waits for the tokens' counts of
  bool waits = false;                         // it does
};

struct CostedBlock {
  std::vector<CostedOp> ops;
  PhaseTime forward, backward, recompute;
  SplitBackward split;
  BlockTotals totals;

  // What `add_ops` goes on from.
  struct {
    PassSums forward, recompute, inputs, weights, backward;
  } sums;
  bool routed = false;  // some operators are of routed experts
  bool open = true;     // nothing hides under a whole pass, so that operators may still be added
};

/// Work that may hide transfers of a step: `StepWide::under` has a list for each, in order.
inline constexpr std::array kStepCovers{Hide::last_backward, Hide::first_forward, Hide::host_update};
/// The index of one of them; `kStepCovers.size()`: it is not among them.
inline size_t step_cover_of(Hide hide) {
  return static_cast<size_t>(std::ranges::find(kStepCovers, hide) - kStepCovers.begin());
}

/// The once-a-step work of a stage, sorted by the work that hides it.
struct StepWide {
  double optimizer = 0, serialized = 0;  // seconds: compute; communication that nothing hides
  double host = 0;                       // of `optimizer`: the part on the host
  ErrorSum errors;                       // of both
  std::array<std::vector<HiddenTransfer>, kStepCovers.size()> under;
  bool priced = true;  // operator_models::Cost, of all of them
};

/// One microbatch on one stage (all its chunks).
struct StageTime {
  PhaseTime forward, backward, recompute;
};

/// Sums over all blocks of a stage.
struct StageSums {
  StageTime time;
  BlockTotals totals;
};

struct CostedStage {
  std::vector<CostedOp> step_ops;  // exposed set by `make_step`
  StageSums sums;
};

struct CostedWorkload {
  Workload workload;
  std::vector<CostedBlock> blocks;   // as workload.blocks
  std::vector<CostedStage> classes;  // as workload.classes
  operator_models::Cost boundary;    // one crossing
};

}  // namespace planner
