// The step of a placement: the slowest rank's lookups, two all-to-alls of pooled rows, the rest of the step.
//
//     step = dense + max forward + A(m) + A(m) + max backward + R(gradients of copies)
//
// m, the message that prices the uneven all-to-all, is the most that any rank sends or receives (Lin et al. 2024,
// section III-C). Its samples are spread evenly, so that each rank receives the mean of what is sent. Backward the same
// bytes go the other way.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tables/split.h"

namespace planner::tables {

/// Tables, their possible places, and their possible splits.
struct PlacementProblem {
  std::vector<Table> tables;
  Site site;
  std::vector<std::vector<Option>> options;  // of each table, whole first
  double launch_seconds = 0;                 // of a rank's kernel
};
PlacementProblem make_problem(std::vector<Table> tables, const Site& site);

/// A table's option and the ranks of its parts, all different.
struct Placed {
  size_t option = 0;
  std::vector<int32_t> ranks = {};
};
using Placement = std::vector<Placed>;  // of each table

struct TableStepParts {
  double dense = 0, forward = 0, exchange = 0, exchange_gradient = 0, backward = 0, reduce = 0;
  double sum() const { return dense + forward + exchange + exchange_gradient + backward + reduce; }
};

/// Prices all-to-alls of the site, and remembers the last ones: neighbouring placements send the same.
class Exchange {
 public:
  explicit Exchange(const Site& site) : site_(&site) {}
  double seconds(double bytes);

 private:
  struct ExchangeEntry {
    double bytes = -1, seconds = 0;
  };
  static constexpr size_t kEntries = 1024;
  const Site* site_;
  std::vector<ExchangeEntry> entries_ = std::vector<ExchangeEntry>(kEntries);
};

struct Loads {
  std::vector<Load> ranks;
  double reduced_bytes = 0;
  double sent() const;
  /// The most that a rank sends or receives.
  double message() const;
  /// Bytes beyond the ranks' memory for tables; 0: it fits.
  double overflow(double memory_bytes) const;
};
Loads loads_of(const PlacementProblem& problem, const Placement& placement);
TableStepParts step_of(const PlacementProblem& problem, const Loads& loads, Exchange& exchange);

}  // namespace planner::tables
