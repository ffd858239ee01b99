// What an update cannot do: told where a closed scenario is read, and by a rule of layouts in a search.
#pragma once

#include <optional>

#include "planner/scenario/techniques.h"

namespace planner {

/// What is in the way of training at all: weights that nothing updates, steps that no host makes.
std::optional<Lack> update_lack(const Scenario& scenario);

/// A field of Muon that says something to an optimizer which has no use for it. A search may open the optimizer, and
/// then it is no mistake.
std::optional<Lack> idle_muon(const Scenario& scenario);

}  // namespace planner
