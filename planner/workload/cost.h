// Seconds of a workload: every distinct operator costed once, then summed by block and phase.
#pragma once

#include <array>
#include <vector>

#include "operator_models/cost.h"
#include "planner/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// One phase of one block (or of all step operators): seconds by what they are.
struct PhaseTime {
  double compute = 0;     // kernels
  double serialized = 0;  // communication that nothing hides
  double exposed = 0;     // the part of hidden communication that sticks out
  double host = 0;        // the host launches slower than the device computes
  double total() const { return compute + serialized + exposed + host; }
  PhaseTime& operator+=(const PhaseTime& o);
  friend PhaseTime operator*(double k, PhaseTime t);
};

struct CostedOp {
  const WorkOp* work = nullptr;
  operator_models::Cost cost;  // of one call
  double exposed = 0;          // communication: seconds per call that stick out of what hides them
  bool communication = false;
};

struct CostedBlock {
  std::vector<CostedOp> ops;
  PhaseTime forward, backward, recompute;
  double weight_gradients = 0;  // seconds of backward that nothing waits for
};

struct CostedStage {
  std::vector<CostedOp> step_ops;  // exposed set by `overlap_step`
};

struct CostedWorkload {
  Workload workload;
  std::vector<CostedBlock> blocks;   // as workload.blocks
  std::vector<CostedStage> classes;  // as workload.classes
  operator_models::Cost boundary;    // one crossing
};

/// The device of a scenario. REQUIRES: `scenario` outlives it.
operator_models::Device device_of(const Scenario& scenario);
CostedWorkload cost_workload(const Scenario& scenario, Workload workload);
/// The same in two steps: the blocks; what stages do once a step, and the boundary between them.
CostedWorkload cost_blocks(const Scenario& scenario, Workload workload);
void cost_stages(const Scenario& scenario, CostedWorkload& costed);

}  // namespace planner
