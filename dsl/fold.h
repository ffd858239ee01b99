// What of a condition is known before a walk begins. A profile's conditions speak of much that a scenario has not.
#pragma once

#include "dsl/expression_tree.h"
#include "dsl/record_evaluator.h"

namespace dsl {

/// Returns a tree of the same value in which each part that reads no open item is a literal. `and` and `or` lose
/// operands that do not decide them; `if` loses the branch not taken. A part without a value is not changed.
ExprPtr folded(const ExprPtr& tree, RecordEvaluator& evaluator);

/// Returns the truth that a folded condition is; nullopt: the walk decides it.
std::optional<bool> known_truth(const Expr& folded);

}  // namespace dsl
