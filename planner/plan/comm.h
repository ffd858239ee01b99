// Compute and communication of a step: the share of communication, its hidden part, and the ratios from counting alone
// (Pati 2024, chapter 5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/algorithm.h"
#include "planner/plan/breakdown.h"
#include "planner/plan/communication.h"

namespace planner {

/// The fractions lie between 0 and 1; `overlapped_over_hiding_compute` may be above 1.
struct CommFractions {
  /// Communication that blocks compute is divided by it and the compute of the passes (5.3.3.4): where compute alone
  /// becomes k times faster, f becomes f / (f + (1 - f) / k).
  double serialized_fraction = 0;
  double serialized_share_of_step = 0;
  /// Like `serialized_fraction`, plus the exposed part of collectives that block unless software overlaps them (tensor,
  /// sequence, context and expert parallelism): all communication of theirs on the critical path.
  double critical_path_fraction = 0;
  /// Communication that may hide, hidden or not, divided by the GEMMs that may hide it. For gradients these are the
  /// backward GEMMs with weights, for parameters those of the forward pass, for other collectives the operator that
  /// they run parallel to (5.2.4, 5.3.3.5). nullopt: nothing may hide.
  std::optional<double> overlapped_over_hiding_compute;
  double overlapped_share_of_step = 0;
  double exposed_fraction = 0;  // share of the step: what of it sticks out
};

/// Returns the fractions of a plan. REQUIRES: no layout violation.
CommFractions comm_fractions(const Scenario& scenario);

/// A row holds all communication of one purpose over one widest tier, seconds per step.
struct PurposeRow {
  Purpose purpose = Purpose::none;
  std::string tier;
  double seconds = 0, hidden_seconds = 0, serialized_seconds = 0, exposed_seconds = 0;  // hidden + serialized + exposed
};

struct CommAnalysis {
  Algorithm algorithm;
  CommFractions fractions;
  double step_seconds = 0;
  Breakdown breakdown;
  std::vector<CommunicationRow> communication;
  std::vector<PurposeRow> purposes;
  double required_tp = 0;             // 5.3.3.2
  std::optional<int64_t> fitting_tp;  // by the memory of the plan
};

/// Returns communication by purpose, and its share of the step. REQUIRES: no layout violation.
CommAnalysis analyse_comm(const Scenario& scenario);

}  // namespace planner
