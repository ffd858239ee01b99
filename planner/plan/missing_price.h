// Where the price of a run comes from, and why it has none.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace planner {

/// Returns the missing part of a run's price, "hgx-h20 has no price: ..." or "the run has no price: give job.tokens";
/// "" if it has a price.
std::string missing_price(const Scenario& scenario);

/// Returns kind, date and region of the catalogue's price; empty texts: the price is the scenario's own.
hw_profiles::PriceTerms price_terms(const LoadedScenario& loaded);

}  // namespace planner
