// Compares a trace with the planner's step: common operators, those that one side lacks, and sums.
//
// Two uses are the same if their kinds and sizes are equal:
//
//     GEMMs             batch, and m, n, k in any order: a layer's forward pass, dgrad and wgrad permute them
//     attention         batch, heads, queries, keys and width of a head; forward and backward are two kinds
//     collectives       ranks, and bytes within 1 %; of sends and receives bytes alone
//     everything else   all of a kind are the same; so are those whose sizes the trace lacks
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/replay/operator_uses.h"
#include "planner/scenario/scenario.h"

namespace planner::replay {

/// The planner's step of a scenario.
struct PlannedStep {
  std::vector<OperatorRow> rows;
  double seconds = 0;
};
/// REQUIRES: no layout violation.
PlannedStep planned_step(const Scenario& scenario);

/// Uses that are the same.
struct Paired {
  const UseKind* kind = nullptr;
  std::vector<double> sizes;               // the planner's if it has one; empty: as in `OperatorUse`
  std::vector<std::string> names;          // the planner's, each once
  std::optional<Spent> measured, planned;  // nullopt: this side has none

  double longest_seconds() const;
};

/// What both sides spend on a kind of work.
struct WorkSum {
  KernelWork work;
  Spent measured, planned;
};

struct Against {
  std::vector<Paired> pairs;   // longest first
  std::vector<WorkSum> works;  // in the order of `KernelWork`, those that one side has at least
  WorkSum all;                 // their sum; its `work` has no meaning
  double busy_seconds = 0;     // of the device, as measured: concurrent work counts once
  double measured_step_seconds = 0, planned_step_seconds = 0;
};

/// Bytes of equal collectives differ by at most this share.
inline constexpr double kSameBytes = 0.01;

std::vector<Paired> pair_uses(const std::vector<OperatorUse>& measured, const std::vector<OperatorUse>& planned);
Against compare_with_plan(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched,
                          const PlannedStep& planned);

}  // namespace planner::replay
