// Which way an expression over results goes as the step gets longer, and nothing else of the plan changes.
#pragma once

#include <string_view>

#include "dsl/expression.h"
#include "dsl/record.h"

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

}  // namespace planner
