// Where a plan uses models fitted to measurements: over which values, how far beyond the measured ones, and where they
// have no time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/fitted.h"
#include "planner/workload/cost.h"

namespace planner {

/// The values of one parameter that a plan needs.
struct AskedParameter {
  double least = 0, most = 0;
};

/// How a plan uses one of its models. The scenario outlives it.
struct FittedUse {
  std::string kind;  // of operator, of collective, or "step"
  const operator_models::FittedModel* model = nullptr;
  std::vector<AskedParameter> asked;  // as the model's parameters
  double reach = 1;                   // operator_models::Prediction, the furthest
  operator_models::Provenance provenance = operator_models::Provenance::measured;  // the weakest of all
  std::optional<std::string> unpriced;       // "-3 s at m = 4096, ...": the first place without a time
  std::optional<double> analytical_seconds;  // of the step, where the model is of the step
};

/// Returns every fitted model that the step uses: those of operators in the order of the workload, that of the step
/// last. `analytical_seconds` are those of the step.
std::vector<FittedUse> fitted_uses(const Scenario& scenario, const CostedWorkload& costed, double analytical_seconds);

/// Adds the uses of another plan of the scenario, which covers a share of the steps: those at one of its lengths.
void join_uses(const Scenario& scenario, const std::vector<FittedUse>& others, double share,
               std::vector<FittedUse>& uses);

/// Returns a sentence such as "the model of all_reduce in x.json gives -3 s at bytes = 1e+06, ranks = 8".
std::string unpriced_text(const FittedUse& use);
/// Returns such a sentence on the model of the step, before anything is costed; nullopt: it has a time, or there is no
/// such model.
std::optional<std::string> unpriced_step(const Scenario& scenario);

/// Returns whether all operators have a time.
bool all_priced(const std::vector<CostedOp>& ops);
bool is_priced(const CostedWorkload& costed);

}  // namespace planner
