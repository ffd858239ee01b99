// A field of a scenario by its path, to be set again and again.
#pragma once

#include <string_view>

#include "dsl/setter.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// Returns a setter for the field, for values of its type; empty if the scenario has no such value. REQUIRES:
/// `scenario` outlives it and does not move. Only this function walks all lines of all fields for setters: compiling it
/// takes seconds.
dsl::Setter field_setter(Scenario& scenario, std::string_view path);

}  // namespace planner
