// The transfers of a step, as `trainplan plan` and `trainplan comm` list them.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/step.h"
#include "planner/workload/cost.h"

namespace planner {

/// One row per collective: bytes of one call; count and seconds per step; hidden + exposed = seconds.
struct CommunicationRow {
  std::string name, kind;
  int64_t ranks = 1;
  std::vector<std::string> tiers;
  double bytes = 0, count = 0, seconds = 0, hidden_seconds = 0, exposed_seconds = 0;
  Purpose purpose = Purpose::none;
  bool serialized = false;  // blocks the work after it; otherwise the part beyond other work is exposed
};

/// Returns the row of an operator that communicates, called `calls` times. For a pipeline's boundary, `send` seconds of
/// its crossings are exposed.
CommunicationRow block_row(const Scenario& scenario, const CostedOp& op, double calls);
CommunicationRow step_row(const Scenario& scenario, const CostedOp& op);
CommunicationRow boundary_row(const Scenario& scenario, const Boundary& boundary, double seconds, int64_t microbatches,
                              double send);

/// Returns the properties of a row other than bytes, calls and times: equal rows of several sequence lengths are
/// merged.
std::string identity_of(const CommunicationRow& row);

/// One row per transfer of the stage that finishes last.
std::vector<CommunicationRow> communication_rows(const Scenario& scenario, const CostedWorkload& costed,
                                                 const Pipelined& pipeline);

}  // namespace planner
