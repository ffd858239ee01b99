#include "dsl/fold.h"

#include <algorithm>

namespace dsl {
namespace {

ExprPtr with_args(const Expr& e, std::vector<ExprPtr> args) {
  auto copy = std::make_shared<Expr>(e);
  copy->args = std::move(args);
  return copy;
}

/// Of `and` (decided by false) and `or` (by true).
ExprPtr joined(const Expr& e, bool decides, std::vector<ExprPtr> args) {
  for (const ExprPtr& arg : args)
    if (known_truth(*arg) == decides) return make_literal({decides}, e.span);
  std::erase_if(args, [](const ExprPtr& arg) { return known_truth(*arg).has_value(); });
  if (args.empty()) return make_literal({!decides}, e.span);
  return args.size() == 1 ? args[0] : with_args(e, std::move(args));
}

}  // namespace

std::optional<bool> known_truth(const Expr& e) {
  const bool* truth = e.kind == Expr::Kind::literal ? std::get_if<bool>(&e.literal.v) : nullptr;
  return truth ? std::optional(*truth) : std::nullopt;
}

ExprPtr folded(const ExprPtr& tree, RecordEvaluator& evaluator) {
  const RecordEvaluator::Reads reads = evaluator.reads_of(*tree);
  if (reads.open.empty() && !reads.results && tree->kind != Expr::Kind::literal) {
    const std::optional<Value> value = evaluator.value_of({tree, "", tree->span}, {});
    return value ? make_literal(*value, tree->span) : tree;
  }
  std::vector<ExprPtr> args;
  for (const ExprPtr& arg : tree->args) args.push_back(folded(arg, evaluator));
  if (tree->kind == Expr::Kind::all) return joined(*tree, false, std::move(args));
  if (tree->kind == Expr::Kind::any) return joined(*tree, true, std::move(args));
  if (tree->kind == Expr::Kind::call && tree->name == "if" && args.size() == 3)
    if (const std::optional<bool> truth = known_truth(*args[0])) return args[*truth ? 1 : 2];
  return args.empty() ? tree : with_args(*tree, std::move(args));
}

}  // namespace dsl
