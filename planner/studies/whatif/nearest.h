// The candidate that came closest where a search found nothing, and the cheapest change that would make it fit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/fits.h"
#include "planner/plan/layout_changes.h"
#include "planner/plan/plan.h"

namespace planner {

/// A change that makes a plan feasible, and what it then comes to.
struct Fix {
  Sets sets;
  Plan plan;
};

struct NearestMiss {
  Sets choices;
  Plan plan;                         // with everything that it breaks
  std::optional<Overflow> overflow;  // of the memory
  std::optional<Fix> fix;            // none: no change of one setting, and none of two, makes it feasible
};

/// Plans the candidate of these choices, every single change of it, and, where none of them helps, every two. Of the
/// changes that break nothing the one with the cheapest run is taken (the fewest GPU seconds of a step where runs have
/// no price), and planned once more as `--set` would. REQUIRES: its layout works.
NearestMiss nearest_miss(const Sets& choices, const Reread& reread);

}  // namespace planner
