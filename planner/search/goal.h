// The objective that a search minimises, and the conditions that a plan must meet.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dsl/compiled.h"
#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"

namespace planner {

// The rules that a plan's results break, as `plan` names them.
inline constexpr const char *kWhereRule = "where", *kDeadlineRule = "deadline", *kBudgetRule = "budget",
                            *kGoalRule = "goal";

/// Holds the scenario's goal and conditions over results, prepared for evaluation on each candidate.
class GoalCheck {
 public:
  /// `scaling`: whether scaling_efficiency is known already; otherwise conditions that read it are left out.
  GoalCheck(const OpenScenario& open, bool scaling);

  /// Returns why the candidate under the cursor does not count ("where", "deadline", "budget", "goal"); null: it does,
  /// and `objective` is what to make small. `unmet` is set, of "where", to the number of the space's condition over
  /// results.
  const char* broken(dsl::Cursor& cursor, const Results& results, double& objective, size_t& unmet) const;
  /// Returns the sum of the shares by which conditions, deadline and budget are missed (shortfall.h); 0: none is.
  double excess(dsl::Cursor& cursor, const Results& results) const;
  /// Returns all reasons why the candidate does not count, for a sweep.
  std::vector<const char*> all_broken(dsl::Cursor& cursor, const Results& results) const;

  /// Returns whether the goal moves with the predicted time, and shares its error.
  bool timed() const { return timed_; }

 private:
  /// An expression over results and fields; compiled where it can be.
  struct GoalExpression {
    const dsl::Expression* expression = nullptr;  // null: it is not evaluated
    std::optional<dsl::Compiled> compiled;
  };
  static GoalExpression asked(const OpenScenario& open, const dsl::Expression* expression);
  /// Returns the value of an expression, of a truth 0 or 1; nullopt: it has none.
  static std::optional<double> value(dsl::Cursor& cursor, const GoalExpression& asked, const Results& results);
  static bool holds(dsl::Cursor& cursor, const GoalExpression& condition, const Results& results);
  bool in_time(const dsl::Cursor& cursor, const Results& results) const;
  bool in_budget(const dsl::Cursor& cursor, const Results& results) const;
  std::optional<double> objective_of(dsl::Cursor& cursor, const Results& results) const;

  /// A limit is a deadline or a budget, in SI units; `item` is the position in `space.items()` where it differs between
  /// candidates.
  struct GoalLimit {
    std::optional<double> fixed;
    std::optional<size_t> item;
    bool holds(const dsl::Cursor& cursor, std::optional<double> value) const;
    double excess(const dsl::Cursor& cursor, std::optional<double> value) const;

   private:
    double most(const dsl::Cursor& cursor) const;
  };

  const Goal& goal_;
  GoalLimit deadline_, budget_;
  std::vector<GoalExpression> conditions_;
  GoalExpression expression_;  // null: seconds of a step
  double sign_ = 1;
  bool timed_ = true;
};

/// Returns the goal or condition that compares with the fewest GPUs of the space; null: none.
const dsl::Expression* scaling_reader(const OpenScenario& open);
/// Returns whether the goal, a condition or an axis of a front compares with the fewest GPUs of the space.
bool reads_scaling(const OpenScenario& open, std::span<const ResultRow* const> axes);

}  // namespace planner
