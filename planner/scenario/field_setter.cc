#include "planner/scenario/field_setter.h"

namespace planner {

dsl::Setter field_setter(Scenario& scenario, std::string_view path) { return dsl::setter_of(scenario, path); }

}  // namespace planner
