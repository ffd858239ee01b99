#include "planner/plan/fitted_step.h"

#include <array>
#include <cmath>

#include "operator_models/standard_error.h"

namespace planner {
namespace {

using operator_models::FittedModel;

/// A figure of the scenario as a row's function.
template <auto figure> double of(const Scenario& s) { return static_cast<double>(figure(s)); }

double nodes_of(const Scenario& s) {
  return std::ceil(static_cast<double>(s.cluster.gpus) / static_cast<double>(s.cluster.gpus_per_node));
}

std::vector<StepFeature> all_features() {
  std::vector<StepFeature> rows{
      {"gpus", "cluster.gpus", "of the job", of<[](const Scenario& s) { return s.cluster.gpus; }>},
      {"ranks", "", "the same", of<[](const Scenario& s) { return s.cluster.gpus; }>},
      {"nodes", "", "that hold the gpus", nodes_of}};
  for (const Degree& degree : degrees())
    rows.push_back({.name = degree.name, .path = degree_path(degree), .doc = "degree", .degree = degree.value});
  const StepFeature behind[]{
      {"interleave", "parallelism.interleave", "chunks of a stage",
       of<[](const Scenario& s) { return s.parallelism.interleave; }>},
      {"microbatch", "parallelism.microbatch", "sequences",
       of<[](const Scenario& s) { return s.parallelism.microbatch; }>},
      {"global_batch", "job.global_batch", "sequences of a step",
       of<[](const Scenario& s) { return s.job.global_batch; }>},
      {"sequence", "job.sequence", "tokens", of<[](const Scenario& s) { return s.job.sequence; }>},
      {"hidden", "model.hidden", "width of the model", of<[](const Scenario& s) { return s.model.hidden; }>},
      {"layers", "model.layers", "of the model", of<[](const Scenario& s) { return s.model.layers; }>}};
  rows.insert(rows.end(), std::begin(behind), std::end(behind));
  return rows;
}

std::span<const double> values_of(const FittedModel& model, const Scenario& s,
                                  std::array<double, operator_models::kMostParameters>& values) {
  const std::span<const StepFeature> features = step_features();
  for (size_t i = 0; i < model.parameters.size(); ++i) values[i] = features[model.parameters[i].row].of(s);
  return {values.data(), model.parameters.size()};
}

}  // namespace

std::span<const StepFeature> step_features() {
  static const std::vector<StepFeature> rows = all_features();
  return rows;
}

std::vector<std::string> step_feature_names() {
  std::vector<std::string> names;
  for (const StepFeature& row : step_features()) names.emplace_back(row.name);
  return names;
}

size_t step_feature_row(std::string_view name) {
  const std::span<const StepFeature> rows = step_features();
  for (size_t i = 0; i < rows.size(); ++i)
    if (!name.empty() && (rows[i].name == name || rows[i].path == name)) return i;
  return std::string::npos;
}

std::vector<double> step_values(const FittedModel& model, const Scenario& s) {
  std::array<double, operator_models::kMostParameters> values{};
  const std::span<const double> x = values_of(model, s, values);
  return {x.begin(), x.end()};
}

std::optional<operator_models::Prediction> predict_step(const Scenario& s) {
  const FittedModel* model = fitted_of(s, kWholeStep);
  if (!model) return std::nullopt;
  std::array<double, operator_models::kMostParameters> values{};
  return predict(*model, values_of(*model, s, values));
}

std::optional<double> fitted_seconds(const Scenario& s) {
  if (s.fitted.empty()) return std::nullopt;
  const std::optional<operator_models::Prediction> p = predict_step(s);
  return p && p->priced ? std::optional(p->seconds) : std::nullopt;
}

double fitted_factor(const Scenario& s, const Step& analytical) {
  const std::optional<operator_models::Prediction> p = predict_step(s);
  const double seconds = analytical.breakdown.sum();
  return p && p->priced && seconds > 0 ? p->seconds / seconds : 1;
}

Step fitted_step(const Scenario& s, const Step& analytical) {
  const std::optional<operator_models::Prediction> p = predict_step(s);
  if (!p) return analytical;
  Step step{.breakdown = analytical.breakdown};
  const double factor = fitted_factor(s, analytical);
  for (const BreakdownPart& part : kBreakdownParts) step.breakdown.*part.seconds *= factor;
  step.errors.assumed = p->provenance == operator_models::Provenance::assumed ? 1 : 0;
  step.errors.software = p->relative_error > 0 ? p->relative_error : operator_models::standard_error(p->provenance);
  return step;
}

}  // namespace planner
