// Fitted models of a scenario: from the names under `operator_models` to functions of operators, or of the step.
#pragma once

#include <string>

#include "dsl/catalog.h"
#include "planner/scenario/fitted.h"

namespace planner {

/// Reads what `text` names and adds it to `models`, unless it is there already. Messages point at `where`.
void read_fitted(const std::string& kind, const std::string& text, const dsl::Span& where, FittedModels& models,
                 dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
