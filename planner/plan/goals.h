// `where`, deadline and budget of a plan, and its scenario's assertions.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/plan/results.h"

namespace planner {

/// Adds violations of the program's requirements on a layout, of `where`, deadline and budget.
void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics);
/// How far a run is beyond its deadline and budget; 0: it is not, or there is no such limit or figure.
struct GoalMiss {
  double days = 0, usd = 0;
  double shares = 0;  // of both limits, in all
};
GoalMiss goal_miss(const Goal& goal, const RunCost& cost);
/// Whether the layout works and fits: a plan then misses at most `where`, the deadline or the budget.
bool works(const Plan& plan);
/// Returns the program's requirements that this layout breaks, with or without figures.
std::vector<Violation> refusals_of_program(const LoadedScenario& loaded);
/// Returns the part before the last operator of a comparison chain: "a * b" of "a * b < c".
dsl::ExprPtr left_of(const dsl::Expr& comparison);
/// Message that a condition does not hold, and why it is required.
std::string unmet_text(const dsl::Expression& condition);
/// A condition of `assert`, evaluated on results.
struct Assertion {
  std::string condition;
  dsl::Span place;
  bool holds = false;
  std::string why;  // if it does not hold: the value of its left side, or why it has no value
};
/// Returns those of the scenario, in order. None holds for a plan without figures (no results).
std::vector<Assertion> assertions_of(const std::optional<Results>& results, const LoadedScenario& loaded);

/// Returns the plan with its goals; mistakes in the goals are reported elsewhere.
Plan plan_with_goals(const LoadedScenario& loaded);

}  // namespace planner
