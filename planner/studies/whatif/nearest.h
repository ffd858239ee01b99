// The candidate that came closest where a search found nothing, and the cheapest change that would make it fit.
#pragma once

#include <optional>

#include "planner/plan/fits.h"
#include "planner/plan/layout_changes.h"
#include "planner/plan/plan.h"

namespace planner {

/// A change that makes a plan feasible, and the resulting plan.
struct Fix {
  Sets sets;
  Plan plan;
};

struct NearestMiss {
  Sets choices;
  Plan plan;                         // with everything that it breaks
  std::optional<Overflow> overflow;  // of the memory
  std::optional<Fix> fix;            // nullopt: no change of one setting or of two makes it feasible
};

/// Plans the candidate of these choices, every single change of it, and, if none of them helps, every pair. Of the
/// changes that break nothing it takes the one with the cheapest run (without a price: the fewest GPU seconds of a
/// step), and plans it once more like `--set`. REQUIRES: its layout works.
NearestMiss nearest_miss(const Sets& choices, const Reread& reread);

}  // namespace planner
