// How far a condition is from holding.
#pragma once

#include <functional>
#include <optional>

#include "dsl/expression.h"

namespace planner {

/// Returns the value of an expression; nullopt: it has none.
using ValueOf = std::function<std::optional<dsl::Value>(const dsl::Expression&)>;

/// Holds the two sides of a comparison of numbers, such as `mfu >= 0.45`.
struct Comparison {
  dsl::Expression left, right;
};
/// Returns the sides of a condition; nullopt: it is not one of <, <=, >, >=.
std::optional<Comparison> comparison_of(const dsl::Expression& condition);

/// Returns how far a condition is from holding, 0 if it holds. For a comparison: the difference of its sides over the
/// right one (over the left, if that is 0). For `and` the largest of its parts, for `or` the smallest. Infinite if
/// there is no number.
double shortfall(const dsl::Expression& condition, const ValueOf& value);

}  // namespace planner
