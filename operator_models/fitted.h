// A model fitted to measurements (pmnf.h), which replaces a row of the registry: the time of an operator as a function
// of its features. Outside its points there are no measurements: its cost says extrapolated.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "operator_models/cost.h"
#include "operator_models/pmnf.h"

namespace operator_models {

struct FittedParameter {
  std::string name;     // as its file calls it
  std::string feature;  // its name here: of `operator_features`, or of the features of a step
  size_t row = 0;       // of that table
  double least = 0, most = std::numeric_limits<double>::infinity();  // measured
};

struct FittedModel {
  std::string name;  // as a scenario writes it: "pmnf(all_reduce.json)"
  std::string file, callpath;
  std::vector<FittedParameter> parameters;  // one to kMostParameters
  std::vector<Pmnf> parts;                  // seconds; two of a segmented model
  double change_point = 0;                  // of two parts: where the second begins, in the first parameter
  std::vector<std::vector<double>> points;  // measured; empty: points unknown, everything is extrapolated
  double relative_error = 0;                // one standard error at its points; 0: that of a provenance
  double at(std::span<const double> x) const;
  std::string formula() const;  // "12 + 260 * ranks^(-1)"; the part of the largest points
};

/// A model's prediction for values of its parameters.
struct Prediction {
  double seconds = 0;
  bool priced = true;  // the time is above zero, and finite
  double reach = 1;    // how many times beyond the measured range, of the parameter that is furthest
  Provenance provenance = Provenance::extrapolated;
  double relative_error = 0;
};
/// measured at a point, interpolated inside the range of every parameter, else extrapolated, with at least the standard
/// error of that (standard_error.h). `x`: one value for each parameter.
Prediction predict(const FittedModel& model, std::span<const double> x);

/// Values of the model's parameters at an operator. REQUIRES: its features are those of the operator's kind.
std::vector<double> values_at(const FittedModel& model, const Operator& op);

/// The row `pmnf`: `model` gives the time, `analytical` what is executed. An operator that takes no time (one rank, no
/// bytes) takes none here either.
Cost fitted_cost(const FittedModel& model, const Operator& op, Cost analytical);

}  // namespace operator_models
