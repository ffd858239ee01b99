// The transfers of a step, as `trainplan plan` and `trainplan comm` list them.
//
// How much of a transfer something hides.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/step.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/cost.h"

namespace planner {

/// Hidden seconds of `calls` calls; `seconds` and `exposed` are those of one call. If two streams slow each other, more
/// is exposed than the call takes: nothing is hidden then.
inline double hidden_seconds(double calls, double seconds, double exposed) {
  const double hidden = calls * seconds - calls * exposed;
  return hidden < 0 ? 0 : hidden;
}

/// How often an activation, or its gradient, crosses the boundaries of one stage in a step.
inline double crossings_of(const Scenario& s, int64_t microbatches) {
  const double ways = s.job.phase == Phase::train ? 2 : 1;  // activations forward, gradients back
  return ways * static_cast<double>(s.parallelism.interleave) * static_cast<double>(microbatches);
}

/// The same for all crossings of a pipeline's boundary, of which `exposed` seconds are exposed.
inline double hidden_crossings(double crossings, double seconds, double exposed) {
  const double all = crossings * seconds;
  return (all < exposed ? exposed : all) - exposed;
}

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
