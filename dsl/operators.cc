#include "dsl/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dsl {
namespace {

constexpr int kLargestExponent = 20;  // of a base dimension: (1 s)^100 is a mistake, and would overflow a Dim

bool sane(Dim d) {
  for (int e : {d.time, d.data, d.flop, d.money, d.energy})
    if (e > kLargestExponent || e < -kLargestExponent) return false;
  return true;
}

OperatorOutcome good(Value value) { return {.value = std::move(value)}; }
OperatorOutcome bad(int blame, std::string problem, std::string hint = {}) {
  return {.problem = std::move(problem), .hint = std::move(hint), .blame = blame};
}

OperatorOutcome finite(double value, Dim dim, bool dry) {
  if (std::isfinite(value)) return good({Number{value, dim}});
  if (dry) return good({Number{1, dim}});
  if (std::isnan(value)) return bad(-1, "the result is not a number");
  return bad(-1, "the result is too large", "numbers reach to 1.8e308 in base units");
}

const char* verb(Op op) {
  constexpr std::array kVerbs{"add", "subtract", "multiply", "divide", "take the remainder of"};  // of the first ones
  static_assert(static_cast<size_t>(Op::modulo) + 1 == kVerbs.size());
  return op <= Op::modulo ? kVerbs[static_cast<size_t>(op)] : "compare";
}

OperatorOutcome mismatch(Op op, const Value& left, const Value& right) {
  OperatorOutcome o = bad(-1, fmt::format("cannot {} {} and {}", verb(op), describe(left), describe(right)));
  o.both_sides = true;
  return o;
}

OperatorOutcome scale(Op op, const Number& x, const Number& y, bool dry) {
  const Dim dim = op == Op::multiply ? x.dim * y.dim : x.dim / y.dim;
  if (!sane(dim)) return bad(-1, "the dimension of the result is out of hand");
  if (op == Op::multiply) return finite(x.value * y.value, dim, dry);
  if (y.value == 0 && !dry) return bad(1, "division by zero");
  return finite(x.value / y.value, dim, dry);
}

OperatorOutcome raise(const Value& base, const Value& exponent, bool dry) {
  const auto *x = std::get_if<Number>(&base.v), *y = std::get_if<Number>(&exponent.v);
  if (!x) return bad(0, "expected a number before '^', got " + describe(base));
  if (!y || !(y->dim == kNone)) return bad(1, "expected a plain number after '^', got " + describe(exponent));
  Dim dim;
  if (!(x->dim == kNone)) {
    if (y->value != std::trunc(y->value) || std::fabs(y->value) > kLargestExponent)
      return bad(1, "the power of a quantity is a whole number up to 20");
    const int n = static_cast<int>(y->value);
    for (int i = 0; i < std::abs(n); ++i) {
      dim = n > 0 ? dim * x->dim : dim / x->dim;
      if (!sane(dim)) return bad(-1, "the dimension of the result is out of hand");
    }
  }
  if (x->value == 0 && y->value < 0 && !dry) return bad(0, "division by zero");
  return finite(std::pow(x->value, y->value), dim, dry);
}

OperatorOutcome contains(Op op, const Value& left, const Value& right) {
  const auto* list = std::get_if<List>(&right.v);
  if (!list) return bad(1, "expected a list after 'in', got " + describe(right));
  bool found = false;
  for (const Value& item : *list) {
    if (!alike(left, item)) return mismatch(op, left, item);
    found = found || left == item;
  }
  return good({found == (op == Op::in)});
}

OperatorOutcome combine(Op op, const Number& x, const Number& y, bool dry) {
  switch (op) {
    case Op::add:
      return finite(x.value + y.value, x.dim, dry);
    case Op::subtract:
      return finite(x.value - y.value, x.dim, dry);
    case Op::modulo:
      if (y.value == 0 && !dry) return bad(1, "division by zero");
      return finite(std::fmod(x.value, y.value), x.dim, dry);
    default:
      return good({compares(op, x.value, y.value)});
  }
}

bool halve(Dim& d) {
  for (signed char* e : {&d.time, &d.data, &d.flop, &d.money, &d.energy}) {
    if (*e % 2 != 0) return false;
    *e = static_cast<signed char>(*e / 2);
  }
  return true;
}

// The numbers of a call's arguments, with dimension `dim`. A mistake is set in the outcome.
OperatorOutcome gather(const Function& f, const std::vector<Value>& args, std::vector<double>& in, Dim& dim) {
  const bool one_list = f.rule == ArgumentRule::same && f.most == kAnyNumber && args.size() == 1;
  const List* list = one_list ? std::get_if<List>(&args[0].v) : nullptr;
  const List& values = list ? *list : args;
  for (size_t i = 0; i < values.size(); ++i) {
    const int blame = list ? 0 : static_cast<int>(i);
    const auto* x = std::get_if<Number>(&values[i].v);
    if (!x) return bad(blame, fmt::format("{} takes numbers, got {}", f.name, describe(values[i])));
    if (f.rule == ArgumentRule::plain && !(x->dim == kNone))
      return bad(blame, fmt::format("{} takes a plain number, got {}", f.name, describe(values[i])),
                 "divide by a quantity of that kind first, such as x / (1 GB)");
    if (i > 0 && !(x->dim == dim))
      return bad(blame,
                 fmt::format("{} takes numbers of one kind, got {} and {}", f.name, dim_name(dim), dim_name(x->dim)));
    dim = x->dim;
    in.push_back(x->value);
  }
  return {};
}

}  // namespace

bool alike(const Value& left, const Value& right) {
  const auto *x = std::get_if<Number>(&left.v), *y = std::get_if<Number>(&right.v);
  if (x && y) return x->dim == y->dim;
  return left.v.index() == right.v.index() && !std::holds_alternative<List>(left.v);
}

OperatorOutcome apply(Op op, const Value& left, const Value& right, bool dry) {
  if (op == Op::power) return raise(left, right, dry);
  if (op == Op::in || op == Op::not_in) return contains(op, left, right);
  const auto *x = std::get_if<Number>(&left.v), *y = std::get_if<Number>(&right.v);
  if (x && y && (op == Op::multiply || op == Op::divide)) return scale(op, *x, *y, dry);
  const bool equality = op == Op::equal || op == Op::not_equal;
  if (!alike(left, right) || (!equality && !x)) return mismatch(op, left, right);
  if (equality) return good({(left == right) == (op == Op::equal)});
  return combine(op, *x, *y, dry);
}

OperatorOutcome negate(const Value& value) {
  const auto* x = std::get_if<Number>(&value.v);
  if (!x) return bad(0, "expected a number after '-', got " + describe(value));
  return good({Number{-x->value, x->dim}});
}

OperatorOutcome call(const Function& f, const std::vector<Value>& args, bool dry) {
  std::vector<double> in, out;
  Dim dim;
  if (f.rule == ArgumentRule::items) {
    const auto* list = std::get_if<List>(&args[0].v);
    if (!list) return bad(0, fmt::format("{} takes a list, got {}", f.name, describe(args[0])));
    in.resize(list->size());
  } else if (OperatorOutcome o = gather(f, args, in, dim); !o.problem.empty()) {
    return o;
  }
  const Dim taken = dim;
  if (f.rule == ArgumentRule::root && !halve(dim)) return bad(0, "there is no square root of " + dim_name(taken));
  if (f.yields_list && !(dim == kNone) && args.size() < static_cast<size_t>(f.most))
    return bad(-1, "a range of quantities needs a step");
  if (dry && f.yields_list) return good({List{{Number{1, dim}}}});
  if (const char* problem = f.apply(in, out)) {
    if (!dry) return bad(-1, problem);
    out = {1};
  }
  if (!f.yields_list) return finite(out[0], dim, dry);
  List list;
  for (double x : out) {
    OperatorOutcome item = finite(x, dim, dry);
    if (!item.value) return item;
    list.push_back(std::move(*item.value));
  }
  return good({std::move(list)});
}

}  // namespace dsl
