#include "planner/plan/missing_price.h"

#include <fmt/format.h>

namespace planner {

std::string missing_price(const Scenario& s) {
  std::string out;
  if (!hw_profiles::hourly_price(s.cluster))
    out = fmt::format("{} has no price: give one by --prices FILE or --set 'cluster.price=2 USD/h'",
                      s.cluster.name.empty() ? "the cluster" : s.cluster.name);
  if (!s.job.tokens) out += out.empty() ? "the run has no price: give job.tokens" : ", and job.tokens";
  return out;
}

hw_profiles::PriceTerms price_terms(const LoadedScenario& loaded) {
  const dsl::Slot* price = loaded.record.find(kRent);
  const dsl::Slot* contract = loaded.record.find("cluster.price_terms.contract");
  const bool is_of_it = price && contract && contract->given && price->span.source == contract->span.source;
  return is_of_it ? loaded.scenario.cluster.price_terms : hw_profiles::PriceTerms{};
}

}  // namespace planner
