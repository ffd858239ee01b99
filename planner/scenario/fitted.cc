#include "planner/scenario/fitted.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/scenario/fitted_name.h"
#include "planner/scenario/scenario.h"

namespace planner {

using operator_models::FittedModel;

std::string fitted_key(std::string_view kind, std::string_view name) { return fmt::format("{}: {}", kind, name); }

const FittedModel* fitted_of(const Scenario& s, std::string_view kind) {
  if (s.fitted.empty()) return nullptr;
  const auto chosen = s.operator_models.find(std::string(kind));
  if (chosen == s.operator_models.end() || !names_fitted(chosen->second)) return nullptr;
  const auto found = s.fitted.find(fitted_key(kind, chosen->second));
  return found == s.fitted.end() ? nullptr : &found->second;
}

decltype(operator_models::Device::fitted) fitted_slots(const Scenario& s) {
  decltype(operator_models::Device::fitted) slots{};
  if (s.fitted.empty()) return slots;
  for (size_t i = 0; i < operator_models::kKindNames.size(); ++i)
    slots[i] = fitted_of(s, operator_models::kKindNames[i]);
  for (size_t i = 0; i < operator_models::kCollectiveKinds.size(); ++i) {
    const auto single = s.operator_models.find(operator_models::kCollectiveKinds[i]);
    const bool own = single != s.operator_models.end() && !single->second.empty();
    slots[operator_models::kKindNames.size() + i] =
        fitted_of(s, own ? operator_models::kCollectiveKinds[i] : "collective");
  }
  return slots;
}

}  // namespace planner
