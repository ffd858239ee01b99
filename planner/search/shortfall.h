// How far a condition is from holding.
#pragma once

#include <functional>
#include <optional>

#include "dsl/expression.h"

namespace planner {

/// What an expression comes to; nullopt: it has no value.
using ValueOf = std::function<std::optional<dsl::Value>(const dsl::Expression&)>;

/// A comparison of two numbers, `mfu >= 0.45`: its sides.
struct Comparison {
  dsl::Expression left, right;
};
/// nullopt: the condition is none of <, <=, >, >=.
std::optional<Comparison> comparison_of(const dsl::Expression& condition);

/// 0 where the condition holds. Of a comparison the difference of its sides over the right one (over the left, where
/// that is 0); of `and` the largest of its parts, of `or` the smallest; infinite where no number says it.
double shortfall(const dsl::Expression& condition, const ValueOf& value);

}  // namespace planner
