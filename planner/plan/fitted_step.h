// A fitted model of the whole step. Its time replaces that of the analytical step, whose parts keep their shares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/step.h"
#include "planner/scenario/fitted.h"

namespace planner {

/// A possible feature of a model of the step. REQUIRES: every `path` is a field that the layout rules read
/// (search/readers.h), so that a search decides for each candidate whether the model has a time there.
struct StepFeature {
  const char* name;  // short
  std::string path;  // of the field; "": it is computed
  const char* doc;
  double (*value)(const Scenario&) = nullptr;
  DegreeOf degree = nullptr;  // in place of `value`
  double of(const Scenario& s) const { return degree ? static_cast<double>(s.parallelism.*degree) : value(s); }
};
std::span<const StepFeature> step_features();
/// Returns the short names of the features.
std::vector<std::string> step_feature_names();
/// Returns the row of a short name or a path, or npos.
size_t step_feature_row(std::string_view name);

/// Returns the values of the model's parameters in a scenario.
std::vector<double> step_values(const operator_models::FittedModel& model, const Scenario& scenario);

/// Returns the prediction of the scenario's model of the step; nullopt: it has none.
std::optional<operator_models::Prediction> predict_step(const Scenario& scenario);

/// Returns the seconds of the scenario's model of the step; nullopt: no model, or no time at these values.
std::optional<double> fitted_seconds(const Scenario& scenario);

/// Returns the seconds of the model over those of the step: 1 without a model of it, or where that has no time.
double fitted_factor(const Scenario& scenario, const Step& analytical);

/// Returns the step of the model, or the analytical one. Its error is that of the model.
Step fitted_step(const Scenario& scenario, const Step& analytical);

}  // namespace planner
