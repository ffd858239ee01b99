// Communication of the parts of a plan, kept to compute hidden seconds: those of the plan's rows (communication.h), in
// order, to the last bit.
//
// Numbers that represent texts.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "planner/plan/communication.h"
#include "planner/plan/step.h"
#include "planner/workload/cost.h"

namespace planner {

class TextNumbers {
 public:
  /// Returns a number for a text; equal texts have equal numbers, for every thread.
  uint64_t of(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, uint64_t> numbers_;
};

/// An operator that communicates: how often it runs, and seconds of one call.
struct Calls {
  double count = 0, seconds = 0, exposed = 0;
  double exposed_split = 0;  // as `exposed`, where the schedule splits the backward pass
  uint64_t row = 0;          // number of its identity, if rows are distinguished
};
using BlockCalls = std::vector<Calls>;

/// Calls that a stage runs once a step. The exposed part of calls that something hides is in a `StepWide`.
struct StepCall {
  Calls calls;
  size_t cover = kStepCovers.size();  // step_cover_of; if none, see `calls`
};
using StepCalls = std::vector<StepCall>;

class CallKeeper {
 public:
  /// `rows`: numbers for the keys of rows; null: rows are not distinguished.
  explicit CallKeeper(TextNumbers* rows) : rows_(rows) {}

  /// Returns those that `block` holds, which it keeps as they are in a split backward pass. `before`: split_exposed.h.
  BlockCalls of_block(const Scenario& scenario, const CostedBlock& before, CostedBlock& block) const;
  StepCalls of_step(const Scenario& scenario, const std::vector<CostedOp>& step_ops) const;
  uint64_t of_boundary(const Scenario& scenario, const Boundary& boundary) const;
  uint64_t number_of(const CommunicationRow& row) const { return rows_ ? rows_->of(identity_of(row)) : 0; }

 private:
  TextNumbers* rows_;
};

/// The communication of a step on the stage that finishes last.
struct StepTransfers {
  const Pipelined& pipeline;
  const std::vector<BlockCalls>& blocks;
  const Chunk& held;     // of the blocks, by the stage
  bool splits_backward;  // the schedule does
  const Boundary& boundary;
  double crossing;  // seconds of one
  uint64_t crossing_row;
  const StepCalls& once;
  const StepWide& wide;  // with the exposed parts
};
/// The hidden seconds of a communication row.
struct HiddenRow {
  uint64_t row = 0;  // as of `Calls`
  double seconds = 0;
};
using HiddenRows = std::vector<HiddenRow>;
void hide(const Scenario& scenario, const StepTransfers& transfers, HiddenRows& rows);
/// Returns the seconds of all rows of a step, and of all of the mean of steps of several lengths (mean_plan.h).
double hidden_seconds(const HiddenRows& rows);
double mean_hidden_seconds(const Scenario& scenario, const std::vector<HiddenRows>& by_length);

}  // namespace planner
