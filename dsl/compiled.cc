#include "dsl/compiled.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace dsl {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double finite(double value) { return std::isfinite(value) ? value : kNoValue; }

// Same as operators.cc. A comparison with an operand without a value has no value.
double apply(Op op, double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kNoValue;
  switch (op) {
    case Op::add:
      return finite(x + y);
    case Op::subtract:
      return finite(x - y);
    case Op::multiply:
      return finite(x * y);
    case Op::divide:
      return y == 0 ? kNoValue : finite(x / y);
    case Op::modulo:
      return y == 0 ? kNoValue : finite(std::fmod(x, y));
    default:
      return compares(op, x, y);
  }
}

// 'and' (deciding: false) and 'or' (deciding: true) end at the first operand that decides, or has no value.
double decide(std::span<const double> operands, bool deciding) {
  for (double operand : operands)
    if (std::isnan(operand) || (operand != 0) == deciding) return operand;
  return deciding ? 0 : 1;
}

bool known(Op op) { return op != Op::power && op != Op::in && op != Op::not_in; }

}  // namespace

std::optional<Compiled> Compiled::compile(const Expr& tree, const Names& names) {
  Compiled compiled;
  if (!compiled.add(tree, names) || compiled.deepest_ > kDeepest) return std::nullopt;
  return compiled;
}

bool Compiled::add(const Expr& tree, const Names& names) {
  const auto done = [this](FormulaStep step, size_t operands) {
    steps_.push_back(step);
    waiting_ = waiting_ - operands + 1;
    deepest_ = std::max(deepest_, waiting_);
    return true;
  };
  switch (tree.kind) {
    case Expr::Kind::literal:
      if (const auto* number = std::get_if<Number>(&tree.literal.v))
        return done({.what = Do::constant, .constant = number->value}, 0);
      if (const auto* truth = std::get_if<bool>(&tree.literal.v))
        return done({.what = Do::constant, .constant = *truth ? 1.0 : 0.0}, 0);
      return false;
    case Expr::Kind::name:
      return add_name(tree.name, names);
    case Expr::Kind::chain:
      return add_chain(tree, names);
    case Expr::Kind::negate:
      return add_operands(tree, names) && done({.what = Do::negate}, 1);
    case Expr::Kind::invert:
      return add_operands(tree, names) && done({.what = Do::invert}, 1);
    case Expr::Kind::all:
      return add_operands(tree, names) && done({.what = Do::all, .count = tree.args.size()}, tree.args.size());
    case Expr::Kind::any:
      return add_operands(tree, names) && done({.what = Do::any, .count = tree.args.size()}, tree.args.size());
    default:
      return false;
  }
}

bool Compiled::add_name(const std::string& name, const Names& names) {
  const std::optional<Operand> operand = names(name);
  if (!operand) return false;
  FormulaStep step{.what = Do::constant, .constant = operand->constant.value_or(0)};
  if (!operand->constant) {
    const auto at = std::find(slots_.begin(), slots_.end(), operand->slot);
    step = {.what = Do::number, .slot = static_cast<size_t>(at - slots_.begin())};
    if (at == slots_.end()) slots_.push_back(operand->slot);
  }
  steps_.push_back(step);
  deepest_ = std::max(deepest_, ++waiting_);
  return true;
}

bool Compiled::add_operands(const Expr& tree, const Names& names) {
  return std::all_of(tree.args.begin(), tree.args.end(), [&](const ExprPtr& arg) { return add(*arg, names); });
}

bool Compiled::add_chain(const Expr& tree, const Names& names) {
  if (!add(*tree.args[0], names)) return false;
  for (size_t i = 0; i < tree.ops.size(); ++i) {
    if (!known(tree.ops[i]) || !add(*tree.args[i + 1], names)) return false;
    steps_.push_back({.what = Do::binary, .op = tree.ops[i]});
    --waiting_;
  }
  return true;
}

double Compiled::value(std::span<const double> numbers) const {
  std::array<double, kDeepest> stack;
  double* top = stack.data();  // behind the last number
  for (const FormulaStep& step : steps_) {
    switch (step.what) {
      case Do::constant:
        *top++ = step.constant;
        break;
      case Do::number:
        *top++ = numbers[step.slot];
        break;
      case Do::binary:
        --top;
        top[-1] = apply(step.op, top[-1], *top);
        break;
      case Do::negate:
        top[-1] = -top[-1];
        break;
      case Do::invert:
        if (!std::isnan(top[-1])) top[-1] = top[-1] == 0;
        break;
      case Do::all:
      case Do::any:
        top -= step.count;
        *top = decide({top, step.count}, step.what == Do::any);
        ++top;
        break;
    }
  }
  return top[-1];
}

namespace {

// A number that is known, or the one that moves.
struct MovingNumber {
  double value = 0;
  bool moves = false;
};

// Of two operands, of which one moves at most.
MovingNumber joined(Op op, MovingNumber x, MovingNumber y, std::vector<Compiled::FormulaLink>& way) {
  if (!x.moves && !y.moves) return {apply(op, x.value, y.value)};
  way.push_back({.op = op, .other = x.moves ? y.value : x.value, .other_first = y.moves});
  return {.moves = true};
}

}  // namespace

bool Compiled::way_of(size_t moving, std::span<const double> numbers, std::vector<FormulaLink>& way) const {
  way.clear();
  std::array<MovingNumber, kDeepest> stack;
  MovingNumber* top = stack.data();  // behind the last one
  bool met = false;
  for (const FormulaStep& step : steps_) {
    switch (step.what) {
      case Do::constant:
        *top++ = {step.constant};
        break;
      case Do::number:
        if (step.slot == moving && std::exchange(met, true)) return false;
        *top++ = step.slot == moving ? MovingNumber{.moves = true} : MovingNumber{numbers[step.slot]};
        break;
      case Do::binary:
        --top;
        top[-1] = joined(step.op, top[-1], *top, way);
        break;
      default:
        return false;
    }
  }
  return met;
}

double Compiled::value_on(std::span<const FormulaLink> way, double x) {
  for (const FormulaLink& link : way)
    x = link.other_first ? apply(link.op, link.other, x) : apply(link.op, x, link.other);
  return x;
}

}  // namespace dsl
