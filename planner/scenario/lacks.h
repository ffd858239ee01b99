// Limits of updates and of modules of a layer. Reported when a closed scenario is read, and by rules of layouts in a
// search.
#pragma once

#include <optional>
#include <vector>

#include "planner/scenario/techniques.h"

namespace planner {

/// An obstacle to training at all: weights that nothing updates, steps that no host makes.
std::optional<Lack> update_lack(const Scenario& scenario);

/// A field of Muon set for an optimizer that does not use it. A search may open the optimizer; then it is not a
/// mistake.
std::optional<Lack> idle_muon(const Scenario& scenario);

/// The policy of a whole layer that `software.selective` names.
std::optional<Selective> layer_policy(const Software& software);
/// A policy of a whole layer together with another word; nothing to repeat; modules without an offloaded share.
std::optional<Lack> module_lack(const Scenario& scenario);
/// Modules without an effect, since the model has none of them: one for each.
std::vector<Lack> idle_modules(const Scenario& scenario);

}  // namespace planner
