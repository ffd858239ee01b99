// Fitted models of a scenario: the models named under `operator_models`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "operator_models/fitted.h"

namespace planner {

/// Models are found by their `fitted_key`; a scenario whose models are open has one for each.
using FittedModels = std::map<std::string, operator_models::FittedModel, std::less<>>;
inline std::string fitted_key(std::string_view kind, std::string_view name) {
  return std::string(kind).append(": ").append(name);
}

inline constexpr const char* kWholeStep = "step";     // the kind of a model of the whole step
inline constexpr const char* kFittedRule = "fitted";  // the violation: a model has no time where it is asked

}  // namespace planner
