// Compares measured, empirical and analytical values: a fitted model, and the planner's values for a scenario in which
// one field takes the parameter's values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/scaling/models.h"

namespace planner::scaling {

struct AgainstOptions {
  std::string path = "cluster.gpus";     // of the field that is the parameter
  std::vector<dsl::Override> overrides;  // laid over the scenario before it
  std::vector<double> at;                // values; empty: the measured points
  std::function<double(double)> steps;   // number of steps in the measured time; empty: 1
};

struct AgainstPoint {
  double x = 0;
  std::optional<double> measured;               // the measured mean there
  double empirical = 0;                         // the model
  std::optional<double> analytical, low, high;  // the plan's step, times the steps, with its interval
  std::string why;                              // no analytical figure: the layout's mistake
};

/// Plans the scenario at each measured value, for comparison with a fitted model. `time` is a model of one parameter.
/// nullopt: the scenario cannot be read with one of the values (diagnosed once).
std::optional<std::vector<AgainstPoint>> against(const Model& time, const AgainstOptions& options,
                                                 const dsl::Source& scenario, const dsl::Catalog& catalog,
                                                 dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner::scaling
