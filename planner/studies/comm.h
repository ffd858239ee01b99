// Compute against communication: what of a step is communication, what of it is hidden, and what the algorithm alone
// says about it (Pati 2024, chapter 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan.h"

namespace planner {

/// Shares of a step, 0 to 1 each; `overlapped_over_hiding_compute` may be above 1.
struct CommFractions {
  double serialized_fraction = 0;                        // communication that nothing can hide
  std::optional<double> overlapped_over_hiding_compute;  // none: nothing could overlap
  double overlapped_share_of_step = 0;                   // communication that could overlap, hidden or not
  double exposed_fraction = 0;                           // of it, what sticks out
};

/// REQUIRES: no layout violation.
CommFractions comm_fractions(const Scenario& scenario);

}  // namespace planner
