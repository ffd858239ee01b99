// Expressions: text -> tree -> value. Grammar and rules: docs/language.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.h"
#include "dsl/value_text.h"

namespace dsl {

struct Expr;                                  // tree; defined in expression_tree.h
using ExprPtr = std::shared_ptr<const Expr>;  // the one place of shared ownership

/// An expression with its text and place, as a field of type `expression` holds it.
struct Expression {
  ExprPtr tree;
  std::string text;
  Span span;
  std::string why = {};  // of a condition: the comment behind it
};

/// Parses `text`, located at `span` of its source. Null on error (diagnosed).
ExprPtr parse_expression(std::string_view text, Span span, Diagnostics& diagnostics);

/// The value of a dotted name, or nullopt if there is no such name (then `evaluate` reports it, with candidates). A
/// resolver that reported an error itself returns a null `Value`; evaluation then fails without a second message.
using Resolver = std::function<std::optional<Value>(const std::string& name, Span place)>;

/// Evaluates with dimensions checked. nullopt on error (diagnosed).
/// `candidates`: names offered by "did you mean".
std::optional<Value> evaluate(const Expr& expr, const Resolver& resolve, Diagnostics& diagnostics,
                              const std::vector<std::string>& candidates = {});

/// Whether the expression holds this name, written as it is there.
bool reads(const Expr& expr, std::string_view name);

}  // namespace dsl
