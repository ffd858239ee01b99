// Operators and functions on values: types and dimensions are checked; there are no places.
#pragma once

#include <optional>
#include <vector>

#include "dsl/expression_tree.h"
#include "dsl/functions.h"

namespace dsl {

/// A value, or the problem and the operand that causes it.
struct OperatorOutcome {
  std::optional<Value> value;
  std::string problem, hint;
  int blame = -1;           // operand (0, 1, ...) that the message is about; -1: the whole
  bool both_sides = false;  // the message is about how two operands differ
};

/// Applies the operator. In a dry evaluation (see expression_tree.h) numeric failures yield a placeholder.
OperatorOutcome apply(Op op, const Value& left, const Value& right, bool dry);
OperatorOutcome negate(const Value& value);
OperatorOutcome call(const Function& function, const std::vector<Value>& args, bool dry);

/// Whether two values may be compared, added or be alternatives of `if`.
bool alike(const Value& left, const Value& right);

}  // namespace dsl
