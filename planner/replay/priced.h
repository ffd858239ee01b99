// What the operator models say of a trace: its collectives on the machine that it comes from, and all of it on another;
// and its collectives by their names: how many, what they handed over, and at which rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/replay/other_machine.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {

struct Predicted {
  std::optional<double> seconds;  // behind the last arrival
  std::string_view missing;       // why there is none
};

struct Priced {
  std::vector<Predicted> collectives;  // in the order of `Matched`
  std::optional<OtherMachine> other;
};

/// `to` null: there is no other machine.
Priced price(const trace::Trace& trace, const trace::Matched& matched, const Site& from, const Site* to);

/// The collectives that are predicted, as a sum.
struct PredictedSum {
  size_t count = 0, alone = 0;  // `alone`: of one rank of several, whose time holds its wait
  size_t within = 0;            // no farther from what was measured than a factor 1.5
  double measured_seconds = 0, predicted_seconds = 0;
};
inline constexpr double kWithin = 1.5;
PredictedSum sum_of(const Priced& priced, const trace::Matched& matched);

struct CollectiveSum {
  std::string name;
  int64_t ranks = 0;  // of their group, as `sized_of` says; 0: it does not
  int64_t count = 0, transfer_ns = 0, longest_wait_ns = 0;
  std::optional<double> bytes;  // that a rank hands over, of all whose bytes are said; nullopt: of none
  /// Bytes over the busiest link of a rank in a second, as nccl-tests count them; nullopt: bytes or ranks are not said.
  std::optional<double> bus_bandwidth;
  std::optional<double> predicted_seconds;  // of those that are predicted
};

/// Returns them, the longest first.
std::vector<CollectiveSum> collective_sums(const trace::Trace& trace, const trace::Matched& matched,
                                           const Priced& priced);

}  // namespace planner::replay
