// Predictions of the operator models for a trace: its collectives on its own machine, and all its work on another. Also
// its collectives by name: their count, their bytes, and their rate.
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
  size_t within = 0;            // within a factor of 1.5 of the measured time
  double measured_seconds = 0, predicted_seconds = 0;
};
inline constexpr double kWithin = 1.5;
PredictedSum sum_of(const Priced& priced, const trace::Matched& matched);

struct CollectiveSum {
  std::string name;
  int64_t ranks = 0;  // of their group, according to `sized_of`; 0: unknown
  int64_t count = 0, transfer_ns = 0, longest_wait_ns = 0;
  std::optional<double> bytes;  // handed over by a rank, over all with known bytes; nullopt: none
  /// Bytes per second over the busiest link of a rank, as nccl-tests count them; nullopt: bytes or ranks are unknown.
  std::optional<double> bus_bandwidth;
  std::optional<double> predicted_seconds;  // of those that are predicted
};

/// Returns them, the longest first.
std::vector<CollectiveSum> collective_sums(const trace::Trace& trace, const trace::Matched& matched,
                                           const Priced& priced);

}  // namespace planner::replay
