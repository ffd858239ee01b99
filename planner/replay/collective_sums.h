// Collectives by their names: how many, what they handed over, and at which rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/replay/priced.h"

namespace planner::replay {

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
