#include "planner/search/shortfall.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/expression_tree.h"
#include "planner/plan/goals.h"

namespace planner {
namespace {

using Kind = dsl::Expr::Kind;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

dsl::Expression part(const dsl::Expression& whole, const dsl::ExprPtr& tree) {
  return {.tree = tree, .span = whole.span};
}

bool orders(dsl::Op op) { return op >= dsl::Op::less && op <= dsl::Op::greater_equal; }

bool holds(const dsl::Expression& condition, const ValueOf& value) {
  const std::optional<dsl::Value> result = value(condition);
  const bool* flag = result ? std::get_if<bool>(&result->v) : nullptr;
  return flag && *flag;
}

std::optional<double> number(const dsl::Expression& expression, const ValueOf& value) {
  const std::optional<dsl::Value> result = value(expression);
  const dsl::Number* x = result ? std::get_if<dsl::Number>(&result->v) : nullptr;
  return x ? std::optional(x->value) : std::nullopt;
}

double distance(const Comparison& sides, const ValueOf& value) {
  const std::optional<double> left = number(sides.left, value), right = number(sides.right, value);
  if (!left || !right) return kInfinite;
  const double scale = *right != 0 ? std::fabs(*right) : std::fabs(*left);
  return scale > 0 ? std::fabs(*left - *right) / scale : 0;  // 0 < 0 is missed by nothing
}

}  // namespace

std::optional<Comparison> comparison_of(const dsl::Expression& condition) {
  const dsl::Expr& tree = *condition.tree;
  if (tree.kind != Kind::chain || !orders(tree.ops.back())) return std::nullopt;
  return Comparison{part(condition, left_of(tree)), part(condition, tree.args.back())};
}

double shortfall(const dsl::Expression& condition, const ValueOf& value) {
  if (holds(condition, value)) return 0;
  if (const auto sides = comparison_of(condition)) return distance(*sides, value);
  const dsl::Expr& tree = *condition.tree;
  if (tree.kind != Kind::all && tree.kind != Kind::any) return kInfinite;
  double most = tree.kind == Kind::all ? 0 : kInfinite;
  for (const dsl::ExprPtr& arg : tree.args) {
    const double one = shortfall(part(condition, arg), value);
    most = tree.kind == Kind::all ? std::max(most, one) : std::min(most, one);
  }
  return most;
}

}  // namespace planner
