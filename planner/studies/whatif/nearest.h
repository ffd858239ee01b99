// The candidate that came closest where a search found nothing, and the cheapest changes that would make it fit.
#pragma once

#include <optional>

#include "planner/plan/fits.h"
#include "planner/studies/whatif/advice.h"

namespace planner {

struct NearestMiss {
  Sets choices;
  Plan plan;                         // with everything that it breaks
  std::optional<Overflow> overflow;  // of the memory
  FitAdvice advice;
};

/// Plans the candidate of these choices, and asks for advice. REQUIRES: its layout works.
NearestMiss nearest_miss(const Sets& choices, const Neighbours& neighbours, const Reread& reread);

}  // namespace planner
