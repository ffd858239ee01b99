// What operator models see of a scenario and of an operator.
#pragma once

#include "operator_models/cost.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// An operator as its models see it: the workload writes GEMMs as BLAS does (m = out), the models have rows first.
operator_models::Operator oriented(const operator_models::Operator& op);
/// The device of a scenario. REQUIRES: `scenario` outlives it.
operator_models::Device device_of(const Scenario& scenario);

}  // namespace planner
