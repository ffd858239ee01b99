// Verdicts on a candidate from a lower bound of its step: most candidates need no other figures.
//
// A goal or a condition that only gets worse as the step gets longer is decided by the lower bound, if that is too long
// already.
//
// Which way an expression over results goes as the step gets longer, and nothing else of the plan changes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dsl/expression.h"
#include "dsl/record.h"
#include "planner/search/collector.h"
#include "planner/search/goal.h"

namespace planner {

/// Knowledge about a value. It may both never rise and never fall: then it does not depend on the step.
struct StepTrend {
  bool never_falls = false, never_rises = false;
  bool positive = false;  // 0 or more
  bool is_fixed() const { return never_falls && never_rises; }
};

/// Returns whether a field, or a result, may differ between the plans on which an expression is evaluated.
using Differs = bool (*)(std::string_view path);

/// Returns the trend of an expression; for a condition, that of its truth, which rises from false to true. The trend
/// holds for the computed numbers too: rounding is monotonic. `record` holds the fields. If it reads values that
/// `differs` from plan to plan, the trend is unknown; null: the plans are those of one candidate.
StepTrend trend_of(const dsl::Expression& expression, const dsl::Record& record, Differs differs = nullptr);

class StepBounds {
 public:
  /// REQUIRES: all of them outlive it. `differs`: between the candidates that share a verdict; null: a verdict is for
  /// one candidate.
  StepBounds(const OpenScenario& open, const SearchOptions& options, const GoalCheck& goal, Differs differs = nullptr);

  /// Returns whether a search may go by bounds at all. It may not where a front, a fitted model or the fewest GPUs of
  /// the space need every figure, or where the goal does not follow the step.
  bool help() const { return help_; }

  struct BoundVerdict {
    const char* rule = nullptr;  // that refuses the candidate; null: it is feasible, and not among the best
    size_t unmet = 0;            // as of GoalCheck::broken
  };
  /// Returns what is certain of a candidate whose step takes `least.step` or longer; nullopt: nothing is. The other
  /// results of `least` follow from its step.
  std::optional<BoundVerdict> verdict(dsl::Cursor& cursor, const Results& least, const Position& position,
                                      const Collector& kept) const;

 private:
  bool is_certain(const char* rule, size_t unmet) const;

  const GoalCheck& goal_;
  std::vector<StepTrend> conditions_;
  size_t holding_ = 0;  // conditions, from the first, that hold of a longer step where they hold of a shorter one
  bool help_ = false, deadline_ = false, budget_ = false;
};

}  // namespace planner
