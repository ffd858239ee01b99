// What would make a plan feasible: the cheapest changes of one setting, else of two.
//
// `plan` and the nearest miss of a search ask here. The changes are those of the layout policy and of the software's
// profile (resolve/layout_policy.h): what a search opens, and what else is tried where nothing fits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/resolve/nearby.h"

namespace planner {

/// A change with the plan that it makes.
struct FitRemedy {
  Sets sets;
  ChangeKind kind = ChangeKind::layout;
  Plan plan;
};

struct FitAdvice {
  /// By kind, the cheapest run first (without a price: the fewest GPU seconds of a step). One change of one setting
  /// each; of two, where no single one suffices.
  std::vector<FitRemedy> remedies;
  /// They break nothing more. False: they fit the memory, and no change keeps all other limits too.
  bool keeps_limits = true;
};

/// What a change costs: dollars of the run, else GPU seconds of a step.
double price_of(const RunCost& cost, double step_seconds);

/// Returns up to three changes of the layout, one of the job and one of the cluster. Each is read and planned once more
/// with its sets. `chosen`: the values of choices with which `base` was read. REQUIRES: its layout works.
FitAdvice advise(const LoadedScenario& base, const Sets& chosen, const Neighbours& neighbours, const Reread& reread);

/// ", uncertain: fits with a probability of 60 %" of a plan whose memory may not fit; else nothing.
std::string doubt_text(const Plan& plan);
/// "parallelism.zero=3 (step +9.3 %, cost +9.3 %)"; of a memory that may not fit, the probability that it does.
std::string remedy_text(const FitRemedy& remedy, const Plan& before);
/// A sentence of all remedies, or that no change is one.
std::string advice_text(const FitAdvice& advice, const Plan& before);

/// Returns the plan. If it does not fit a memory, the message of that violation ends with the advice.
Plan make_advised_plan(const LoadedScenario& loaded, const Neighbours& neighbours, const Reread& reread);

}  // namespace planner
