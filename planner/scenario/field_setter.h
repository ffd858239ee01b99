// A field of a scenario by its path, to be set again and again.
#pragma once

#include <string_view>

#include "dsl/setter.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// What sets the field to a value of its type; empty where the scenario has no such value. REQUIRES: `scenario`
/// outlives it and does not move. The one place that walks all lines of all fields for it: that costs seconds to
/// compile.
dsl::Setter field_setter(Scenario& scenario, std::string_view path);

}  // namespace planner
