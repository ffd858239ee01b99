// How far a condition is from holding.
#pragma once

#include <functional>
#include <optional>

#include "dsl/expression.h"

namespace planner {

/// Returns what an expression comes to; nullopt: it has no value.
using ValueOf = std::function<std::optional<dsl::Value>(const dsl::Expression&)>;

/// Holds the two sides of a comparison of numbers, such as `mfu >= 0.45`.
struct Comparison {
  dsl::Expression left, right;
};
/// Returns the sides of a condition; nullopt: it is not one of <, <=, >, >=.
std::optional<Comparison> comparison_of(const dsl::Expression& condition);

/// Returns how far a condition is from holding, 0 where it holds. Of a comparison that is the difference of its sides
/// over the right one (over the left, where that is 0); of `and` the largest of its parts, of `or` the smallest;
/// infinite where no number says it.
double shortfall(const dsl::Expression& condition, const ValueOf& value);

}  // namespace planner
