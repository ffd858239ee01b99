#include "operator_models/fitted.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "operator_models/features.h"
#include "operator_models/standard_error.h"

namespace operator_models {
namespace {

using Values = std::array<double, kMostParameters>;

// Without an allocation: a search prices many operators.
std::span<const double> values_of(const FittedModel& model, const Operator& op, Values& values) {
  assert(model.parameters.size() <= kMostParameters);
  for (size_t i = 0; i < model.parameters.size(); ++i)
    values[i] = operator_features()[model.parameters[i].row].value(op);
  return {values.data(), model.parameters.size()};
}

double reach_of(const FittedParameter& parameter, double x) {
  if (x < parameter.least) return parameter.least / std::max(x, std::numeric_limits<double>::min());
  return x > parameter.most ? x / parameter.most : 1;
}

bool is_point(const FittedModel& model, std::span<const double> x) {
  return std::ranges::any_of(model.points, [&](const auto& point) { return std::ranges::equal(point, x); });
}

}  // namespace

double FittedModel::at(std::span<const double> x) const {
  const bool first = parts.size() > 1 && x[0] <= change_point;
  return (first ? parts.front() : parts.back()).at(x);
}

std::string FittedModel::formula() const {
  std::vector<std::string> names;
  for (const FittedParameter& parameter : parameters) names.push_back(parameter.name);
  return text(parts.back(), names, 4);
}

Prediction predict(const FittedModel& model, std::span<const double> x) {
  Prediction p{.seconds = model.at(x), .relative_error = model.relative_error};
  p.priced = std::isfinite(p.seconds) && p.seconds > 0;
  for (size_t i = 0; i < x.size(); ++i) p.reach = std::max(p.reach, reach_of(model.parameters[i], x[i]));
  if (!model.points.empty() && p.reach == 1)
    p.provenance = is_point(model, x) ? Provenance::measured : Provenance::interpolated;
  if (p.provenance == Provenance::extrapolated)
    p.relative_error = std::max(p.relative_error, standard_error(Provenance::extrapolated));
  return p;
}

std::vector<double> values_at(const FittedModel& model, const Operator& op) {
  Values values{};
  const std::span<const double> x = values_of(model, op, values);
  return {x.begin(), x.end()};
}

Cost fitted_cost(const FittedModel& model, const Operator& op, Cost analytical) {
  Cost c = analytical;
  c.model = "pmnf";
  if (c.seconds.value == 0) return c;
  Values values{};
  const Prediction p = predict(model, values_of(model, op, values));
  if (!p.priced) {  // the analytical cost, under its own name
    analytical.priced = false;
    return analytical;
  }
  c.seconds = {p.seconds};
  c.launch = std::min(c.launch, c.seconds);
  c.provenance = p.provenance;
  c.relative_error = p.relative_error;
  return c;
}

}  // namespace operator_models
