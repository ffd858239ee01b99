// What the operator models say of a trace: its collectives on the machine that it comes from, and all of it on another.
#pragma once

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

}  // namespace planner::replay
