// The purpose of the kernels of a traced step (forward pass, backward pass, optimizer), and the bytes that the forward
// pass keeps for the backward one.
//
// A backward operator is recognised by its own data: it names a forward thread, or it belongs to autograd. Of nested
// operators, the outermost whose name is one word ("aten::conv2d", "CompiledFunction") is the forward operator; the
// trace has its sequence number. Nested operators have numbers of their own, and the backward pass refers to those:
// "aten::linear" 515 holds "aten::addmm" 516, whose gradient is "AddmmBackward0" 516. Work under "Optimizer." is the
// optimizer's.
//
// Kept bytes, if the profiler recorded allocations: the allocations from the begin of an operator to that of the next.
// Otherwise they are estimated from shapes: each floating-point tensor that an operator with a backward pass reads
// first (for a product: after its bias), once for each operator. Operators that only view or add keep nothing, as their
// gradient needs no input.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/trace/operators.h"
#include "planner/trace/steps.h"

namespace planner::replay {

enum class WorkPhase : uint8_t { other, forward, backward, optimizer };

/// An event of the device that was launched in a step.
struct PhaseWork {
  uint32_t event = 0;
  int64_t launched_ns = 0;
  WorkPhase phase = WorkPhase::other;
  size_t round = 0;                      // in `StepWork`, of forward and backward work
  uint32_t lane = trace::kNone;          // of the host's thread that launched it
  uint32_t outermost = trace::kNone;     // the operator that it belongs to
  int64_t sequence = -1;                 // of that
  bool of_gradient = false;              // adds to a gradient
  const trace::Event* shaped = nullptr;  // the innermost enclosing operator with input shapes
};

/// A forward operator that has a backward pass.
struct ForwardUnit {
  uint32_t event = 0;
  int64_t sequence = -1, end_sequence = -1;  // of it and of those in it: up to that of the next operator
  double kept_bytes = 0, input_bytes = 0;
};

/// The forward operators of one part of the batch, by begin: those that come before their backward pass.
using Round = std::vector<ForwardUnit>;

struct StepWork {
  std::vector<PhaseWork> work;  // by launch
  std::vector<Round> rounds;    // one, unless the run accumulates gradients, or nothing marks its steps
};

/// Where the bytes of activations are from.
enum class Kept : uint8_t { unknown, shapes, allocations };

struct RankWork {
  std::vector<StepWork> steps;
  Kept kept = Kept::unknown;
};

/// `steps`: trace::steps_of the rank. Both outlive it.
RankWork work_of(const trace::RankTrace& rank, const std::vector<trace::Step>& steps);

/// Returns the device on which most was allocated; -1: nothing was recorded.
int64_t busiest_device(const trace::RankTrace& rank);

}  // namespace planner::replay
