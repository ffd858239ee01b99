// Overlap of communication with work: the wire of a transfer, the work that hides it, and its exposed part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/costed_workload.h"

namespace planner {

bool is_communication(const operator_models::Operator& op);

/// The data moved by a communication operator. `tiers`: innermost first; "host" is the link to the host.
struct Movement {
  const char* kind = "";
  int64_t ranks = 1;
  double bytes = 0;  // of one call
  std::vector<std::string> tiers;
};
/// REQUIRES: is_communication(op).
Movement movement_of(const Scenario& scenario, const operator_models::Operator& op);

/// The wire that it keeps busy: the NICs of the widest network tier that it crosses (its number in the cluster's
/// network), or one direction of the host link (the last two). kNoWire: none.
inline constexpr int kNoWire = -1;
int wire_of(const operator_models::Operator& op);

/// Slow-down of compute and a collective while both run, from the widest tier that it uses. Messages and copies are
/// moved by engines of their own: 1.
double contention_of(const Scenario& scenario, const WorkOp& transfer);

/// The share of the overlap with work that is effective (software.overlap.hidden_*).
double hidden_of(const Scenario& scenario, const WorkOp& transfer);

/// Seconds that `network` adds to `compute` if both start together and slow each other by `slowdown` while both run.
/// They overlap for the share `hidden` of the possible time. The sum of the exposed part, the wait, and contention.
double exposed_seconds(double compute, double network, double slowdown, double hidden = 1);

/// REQUIRES: communication.
HiddenTransfer transfer_of(const Scenario& scenario, const CostedOp& op);

/// The work that hides transfers.
struct Cover {
  double seconds = 0;                 // of work
  const WireSeconds* busy = nullptr;  // of them, by wire: when it is taken by communication of the work itself
  double last_share = 0;              // of the transfers: those after the end of the work, always exposed
  int send_wire = kNoWire;            // used in addition, by the sends of a pipeline
  double send_seconds = 0;

  double busy_on(int wire) const;
};

/// Transfers that share a cover: their seconds, those seconds slowed by contention, and those that hide if they can.
struct CoverLoad {
  double network = 0, slowed = 0, hidden = 0;
  void add(const HiddenTransfer& transfer);
  /// Seconds that stick out of `compute` seconds of cover.
  double exposed(double compute) const;
};

/// Sets `exposed` of transfers with one cover, and returns the sum. The network and the two directions of the host link
/// work at the same time: the slowest decides, of the others the last share is seen. Buckets begin when the first of
/// them is full, and of n buckets the last one is seen: n t - (1 - 1/n) cover, or t where that is more.
double expose(std::span<HiddenTransfer> transfers, const Cover& cover);
/// Does so for operators that communicate.
double expose(const Scenario& scenario, std::span<CostedOp* const> ops, const Cover& cover);

/// Adds the seconds in which the communication of a phase, hidden or not, keeps each wire busy.
void add_busy(const std::vector<CostedOp>& ops, StepPhase phase, WireSeconds& busy);

}  // namespace planner
