// The tree of an expression text, and the walk over it.
//
// Chains of equal precedence are one node ("a + b - c": args a b c, ops + -), so that the
// depth of a tree follows its brackets and not its length.
#pragma once

#include <cstdint>
#include <utility>

#include "dsl/expression.h"

namespace dsl {

enum class Op {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  in,
  not_in
};

/// Whether x OP y holds. REQUIRES: a comparison.
inline bool compares(Op op, double x, double y) {
  switch (op) {
    case Op::less:
      return x < y;
    case Op::less_equal:
      return x <= y;
    case Op::greater:
      return x > y;
    case Op::greater_equal:
      return x >= y;
    case Op::equal:
      return x == y;
    default:
      return x != y;
  }
}

struct Expr {
  enum class Kind {
    literal,  // `literal`
    name,     // `name`
    list,     // [args]
    call,     // name(args)
    chain,    // args folded from the left by ops; a comparison is a chain of two
    power,    // args folded from the right by '^'
    negate,   // -args[0]
    invert,   // not args[0]
    all,      // args joined by 'and'
    any,      // args joined by 'or'
  };
  Kind kind = Kind::literal;
  Value literal;
  std::string name;
  std::vector<ExprPtr> args;
  std::vector<Op> ops;
  Span span;
};

inline std::shared_ptr<Expr> make_literal(Value value, const Span& span = {}) {
  auto e = std::make_shared<Expr>();
  e->literal = std::move(value);
  e->span = span;
  return e;
}

/// Limits of one evaluation; shared by all expressions that refer to each other.
struct Budget {
  int depth = 0;     // nested nodes and names now
  int64_t work = 0;  // list elements made and trial divisions so far
  static constexpr int kDepth = 500;
  static constexpr int64_t kWork = 20'000'000;
};

/// Evaluates a tree as `evaluate` in expression.h does. `dry`: only types and dimensions are checked: numeric failures
/// (division by zero, ranges) yield a placeholder, and both sides of `if`, `and`, `or` are walked.
std::optional<Value> walk(const Expr& expr, const Resolver& resolve, Diagnostics& diagnostics,
                          const std::vector<std::string>& candidates, bool dry, Budget& budget);

/// "a string", "a list", "bytes per second", ...
std::string describe(const Value& value);

/// Whether `let` may not take this name: a function, unit or keyword.
bool is_reserved_word(std::string_view name);
bool is_keyword(std::string_view name);

}  // namespace dsl
