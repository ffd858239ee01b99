// The walk over an expression's tree. Dimensions are checked at every node; a number that is
// not finite never leaves the node that made it.
#include <cmath>
#include <fmt/format.h>

#include "dsl/expression_tree.h"
#include "dsl/functions.h"

namespace dsl {
namespace {

constexpr int kLargestExponent = 20;  // of a base dimension; (1 s)^100 is a mistake, and would overflow a Dim

bool sane(Dim d) {
  for (int e : {d.time, d.data, d.flop, d.money, d.energy})
    if (e > kLargestExponent || e < -kLargestExponent) return false;
  return true;
}

Value number(double value, Dim dim = kNone) { return {Number{value, dim}}; }

const char* verb(Op op) {
  switch (op) {
    case Op::add: return "add";
    case Op::subtract: return "subtract";
    case Op::modulo: return "take the remainder of";
    default: return "compare";
  }
}

class Walk {
 public:
  Walk(const Resolver& resolve, Diagnostics& diagnostics, const std::vector<std::string>& candidates, bool dry,
       Budget& budget)
      : resolve_(resolve), diagnostics_(diagnostics), candidates_(candidates), dry_(dry), budget_(budget) {}

  using Result = std::optional<Value>;

  Result eval(const Expr& e) {
    if (++budget_.depth > Budget::kDepth) {
      --budget_.depth;
      return fail(e, "expressions refer to each other too deeply");
    }
    Result result = eval_kind(e);
    --budget_.depth;
    return result;
  }

 private:
  Result eval_kind(const Expr& e) {
    switch (e.kind) {
      case Expr::Kind::literal: return e.literal;
      case Expr::Kind::name: return eval_name(e);
      case Expr::Kind::list: return eval_list(e);
      case Expr::Kind::call: return eval_call(e);
      case Expr::Kind::chain: return eval_chain(e);
      case Expr::Kind::power: return eval_power(e);
      case Expr::Kind::negate: return eval_negate(e);
      case Expr::Kind::invert: return eval_invert(e);
      case Expr::Kind::all: return eval_logic(e, false);
      case Expr::Kind::any: return eval_logic(e, true);
    }
    return std::nullopt;
  }

  Result fail(const Expr& e, std::string message, std::string hint = {}) {
    diagnostics_.error(e.span, std::move(message), std::move(hint));
    return std::nullopt;
  }
  bool spend(const Expr& e, size_t work) {
    budget_.work += static_cast<int64_t>(work);
    if (budget_.work <= Budget::kWork) return true;
    fail(e, "the expressions take too many steps", "use shorter lists and smaller arguments of divisors");
    return false;
  }

  // A finite number or a diagnostic; in a dry walk any number will do.
  Result finite(const Expr& e, double value, Dim dim) {
    if (dry_ && !std::isfinite(value)) return number(1, dim);
    if (std::isnan(value)) return fail(e, "the result is not a number");
    if (std::isinf(value)) return fail(e, "the result is too large", "numbers reach to 1.8e308 in base units");
    return number(value, dim);
  }

  Result eval_name(const Expr& e) {
    Result value = resolve_(e.name, e.span);
    if (!value) return unknown_name(e);
    if (value->is_null()) return std::nullopt;  // the resolver said why
    if (const auto* list = std::get_if<List>(&value->v))
      if (!spend(e, list->size())) return std::nullopt;
    return value;
  }

  Result unknown_name(const Expr& e) {
    if (find_function(e.name)) return fail(e, "'" + e.name + "' is a function; it takes its arguments in brackets");
    if (is_reserved_word(e.name))
      return fail(e, "the unit '" + e.name + "' follows a number", "a unit holds no blank: '900 GB/s'");
    std::string hint = did_you_mean(e.name, candidates_);
    for (const std::string& candidate : candidates_) {
      if (!hint.empty()) break;
      if (candidate.size() > e.name.size() && candidate.ends_with("." + e.name))
        hint = "did you mean '" + candidate + "'?";
    }
    if (hint.empty()) hint = "a field is written with its path (model.layers), a string in double quotes";
    return fail(e, "unknown name '" + e.name + "'", hint);
  }

  Result eval_list(const Expr& e) {
    if (!spend(e, e.args.size())) return std::nullopt;
    List items;
    bool good = true;
    for (const ExprPtr& arg : e.args) {
      Result item = eval(*arg);
      if (item && std::holds_alternative<List>(item->v)) item = fail(*arg, "a list does not hold lists");
      if (item) items.push_back(std::move(*item));
      else good = false;
    }
    if (!good) return std::nullopt;
    return Value{std::move(items)};
  }

  // ---- operators

  Result eval_chain(const Expr& e) {
    Result left = eval(*e.args[0]);
    for (size_t i = 0; i < e.ops.size(); ++i) {
      Result right = eval(*e.args[i + 1]);
      if (left && right) left = apply(step_of(e, i), e.ops[i], *e.args[i + 1], *left, *right);
      else left = std::nullopt;  // the right side has been checked all the same
    }
    return left;
  }

  // The part of a chain up to operator `i`, with the place of the operands for messages.
  struct Step {
    Expr whole;  // only its span is used
    Span left, right;
  };
  static Step step_of(const Expr& e, size_t i) {
    Step s;
    s.left = e.span;
    s.right = e.args[i + 1]->span;
    s.whole.span = e.span;
    const Span& last = e.args[i + 1]->span;
    if (last.source == e.span.source && last.line == e.span.line && last.column > e.span.column && i + 1 < e.ops.size())
      s.whole.span.length = last.column + last.length - e.span.column;
    if (i == 0) s.left = e.args[0]->span;
    return s;
  }

  Result apply(const Step& s, Op op, const Expr& right_expr, const Value& a, const Value& b) {
    if (op == Op::in || op == Op::not_in) return contains(s, op, right_expr, a, b);
    if (op == Op::equal || op == Op::not_equal) {
      if (!comparable(s, op, a, b)) return std::nullopt;
      return Value{(a == b) == (op == Op::equal)};
    }
    const auto *x = std::get_if<Number>(&a.v), *y = std::get_if<Number>(&b.v);
    if (!x || !y) {
      if (op == Op::multiply || op == Op::divide) return fail(s.whole, mismatch("calculate with", a, b));
      return fail(s.whole, mismatch(verb(op), a, b), both(s, a, b));
    }
    if (op == Op::multiply || op == Op::divide) return scale(s, op, right_expr, *x, *y);
    if (!comparable(s, op, a, b)) return std::nullopt;
    return combine(s, op, right_expr, *x, *y);
  }

  Result scale(const Step& s, Op op, const Expr& right, const Number& x, const Number& y) {
    const Dim dim = op == Op::multiply ? x.dim * y.dim : x.dim / y.dim;
    if (!sane(dim)) return fail(s.whole, "the dimension of the result is out of hand");
    if (op == Op::multiply) return finite(s.whole, x.value * y.value, dim);
    if (y.value == 0 && !dry_) return fail(right, "division by zero");
    return finite(s.whole, x.value / y.value, dim);
  }

  Result combine(const Step& s, Op op, const Expr& right, const Number& x, const Number& y) {
    switch (op) {
      case Op::add: return finite(s.whole, x.value + y.value, x.dim);
      case Op::subtract: return finite(s.whole, x.value - y.value, x.dim);
      case Op::modulo:
        if (y.value == 0 && !dry_) return fail(right, "division by zero");
        return finite(s.whole, std::fmod(x.value, y.value), x.dim);
      case Op::less: return Value{x.value < y.value};
      case Op::less_equal: return Value{x.value <= y.value};
      case Op::greater: return Value{x.value > y.value};
      default: return Value{x.value >= y.value};
    }
  }

  static std::string mismatch(const char* what, const Value& a, const Value& b) {
    return fmt::format("cannot {} {} and {}", what, describe(a), describe(b));
  }
  // Both places, for a message that can underline only one.
  static std::string both(const Step& s, const Value& a, const Value& b) {
    if (!s.left.source || (s.left.column == s.right.column && s.left.line == s.right.line)) return "";
    return fmt::format("{}:{} is {}, {}:{} is {}", s.left.line, s.left.column, describe(a), s.right.line, s.right.column,
                       describe(b));
  }

  // Whether two values have the same type and dimension; diagnosed.
  bool comparable(const Step& s, Op op, const Value& a, const Value& b) {
    const auto *x = std::get_if<Number>(&a.v), *y = std::get_if<Number>(&b.v);
    if (x && y && x->dim == y->dim) return true;
    if (!x && !y && a.v.index() == b.v.index() && !std::holds_alternative<List>(a.v)) return true;
    fail(s.whole, mismatch(verb(op), a, b), both(s, a, b));
    return false;
  }

  Result contains(const Step& s, Op op, const Expr& right, const Value& a, const Value& b) {
    const auto* list = std::get_if<List>(&b.v);
    if (!list) return fail(right, "expected a list after 'in', got " + describe(b));
    if (!spend(right, list->size())) return std::nullopt;
    bool found = false;
    for (const Value& item : *list) {
      if (!comparable(s, op, a, item)) return std::nullopt;
      found = found || a == item;
    }
    return Value{found == (op == Op::in)};
  }

  Result eval_power(const Expr& e) {
    Result right = eval(*e.args.back());
    for (size_t i = e.args.size() - 1; i-- > 0;) {
      Result left = eval(*e.args[i]);
      if (left && right) right = raise(e, *e.args[i], *left, *e.args[i + 1], *right);
      else right = std::nullopt;
    }
    return right;
  }

  Result raise(const Expr& e, const Expr& base_expr, const Value& base, const Expr& power_expr, const Value& power) {
    const auto *x = std::get_if<Number>(&base.v), *y = std::get_if<Number>(&power.v);
    if (!x) return fail(base_expr, "expected a number before '^', got " + describe(base));
    if (!y || !(y->dim == kNone)) return fail(power_expr, "expected a plain number after '^', got " + describe(power));
    Dim dim = x->dim;
    if (!(dim == kNone)) {
      if (y->value != std::trunc(y->value) || std::fabs(y->value) > kLargestExponent)
        return fail(power_expr, "the power of a quantity is a whole number up to 20");
      const int n = static_cast<int>(y->value);
      Dim product;
      for (int i = 0; i < std::abs(n); ++i) {
        product = n > 0 ? product * dim : product / dim;
        if (!sane(product)) return fail(e, "the dimension of the result is out of hand");
      }
      dim = product;
    }
    if (x->value == 0 && y->value < 0 && !dry_) return fail(base_expr, "division by zero");
    return finite(e, std::pow(x->value, y->value), dim);
  }

  Result eval_negate(const Expr& e) {
    Result value = eval(*e.args[0]);
    if (!value) return value;
    auto* x = std::get_if<Number>(&value->v);
    if (!x) return fail(e, "expected a number after '-', got " + describe(*value));
    x->value = -x->value;
    return value;
  }

  Result boolean(const Expr& e, const char* where) {
    Result value = eval(e);
    if (value && !std::holds_alternative<bool>(value->v))
      return fail(e, fmt::format("expected true or false {}, got {}", where, describe(*value)));
    return value;
  }

  Result eval_invert(const Expr& e) {
    Result value = boolean(*e.args[0], "after 'not'");
    if (value) value->v = !std::get<bool>(value->v);
    return value;
  }

  Result eval_logic(const Expr& e, bool deciding) {
    bool result = !deciding, good = true;
    for (const ExprPtr& arg : e.args) {
      Result value = boolean(*arg, deciding ? "beside 'or'" : "beside 'and'");
      if (!value) {
        good = false;
      } else if (std::get<bool>(value->v) == deciding) {
        result = deciding;
        if (!dry_) break;
      }
    }
    if (!good) return std::nullopt;
    return Value{result};
  }

  // ---- functions

  Result eval_call(const Expr& e) {
    const Function* f = find_function(e.name);
    if (!f) {
      std::vector<std::string> names;
      for (const Function& row : functions()) names.emplace_back(row.name);
      return fail(e, "unknown function '" + e.name + "'", did_you_mean(e.name, names));
    }
    const int count = static_cast<int>(e.args.size());
    if (count < f->least || count > f->most) return fail(e, arity(*f, count));
    if (f->rule == Rule::lazy) return eval_if(e);
    std::vector<Value> args;
    for (const ExprPtr& arg : e.args)
      if (Result value = eval(*arg)) args.push_back(std::move(*value));
    if (args.size() < e.args.size()) return std::nullopt;
    if (f->rule == Rule::items) return count_items(e, args[0]);
    return call(e, *f, args);
  }

  static std::string arity(const Function& f, int got) {
    std::string takes = std::to_string(f.least);
    if (f.most == kAnyNumber) takes += " or more";
    else if (f.most > f.least) takes += " to " + std::to_string(f.most);
    return fmt::format("{} takes {} argument{}, got {}", f.name, takes, takes == "1" ? "" : "s", got);
  }

  Result eval_if(const Expr& e) {
    Result condition = boolean(*e.args[0], "as the condition of if");
    if (!dry_) {
      if (!condition) return std::nullopt;
      return eval(*e.args[std::get<bool>(condition->v) ? 1 : 2]);
    }
    Result a = eval(*e.args[1]), b = eval(*e.args[2]);
    if (!condition || !a || !b) return std::nullopt;
    Step s{e, e.args[1]->span, e.args[2]->span};
    if (!std::holds_alternative<List>(a->v) && !comparable(s, Op::equal, *a, *b)) return std::nullopt;
    return a;
  }

  Result count_items(const Expr& e, const Value& value) {
    const auto* list = std::get_if<List>(&value.v);
    if (!list) return fail(*e.args[0], "len takes a list, got " + describe(value));
    return number(static_cast<double>(list->size()));
  }

  // One list stands for all arguments of min, max and sum.
  Result call(const Expr& e, const Function& f, const std::vector<Value>& args) {
    const auto* list = f.rule == Rule::same && !f.yields_list && args.size() == 1 ? std::get_if<List>(&args[0].v) : nullptr;
    if (list && f.most == 1) list = nullptr;
    const List& values = list ? *list : args;
    if (!spend(e, values.size())) return std::nullopt;
    std::vector<double> in;
    Dim dim = kNone;
    for (size_t i = 0; i < values.size(); ++i) {
      const Expr& at = list ? *e.args[0] : *e.args[i];
      const auto* x = std::get_if<Number>(&values[i].v);
      if (!x) return fail(at, fmt::format("{} takes numbers, got {}", f.name, describe(values[i])));
      if (f.rule == Rule::plain && !(x->dim == kNone))
        return fail(at, fmt::format("{} takes a plain number, got {}", f.name, describe(values[i])), "divide by a unit first");
      if (i > 0 && !(x->dim == dim))
        return fail(at, fmt::format("{} takes numbers of one kind, got {} and {}", f.name, dim_name(dim), dim_name(x->dim)));
      dim = x->dim;
      in.push_back(x->value);
    }
    return result(e, f, in, dim);
  }

  static bool halve(Dim& d) {
    for (signed char* e : {&d.time, &d.data, &d.flop, &d.money, &d.energy}) {
      if (*e % 2 != 0) return false;
      *e = static_cast<signed char>(*e / 2);
    }
    return true;
  }

  Result result(const Expr& e, const Function& f, const std::vector<double>& in, Dim dim) {
    if (f.rule == Rule::root && !halve(dim)) return fail(e, "no square root of " + dim_name(dim));
    if (f.yields_list && in.size() == 2 && f.least < f.most && !(dim == kNone))
      return fail(e, "a range of quantities needs a step");
    if (f.name == "divisors" && !dry_ && !spend(e, static_cast<size_t>(std::sqrt(std::fmin(std::fabs(in[0]), 1e12)))))
      return std::nullopt;
    std::vector<double> out;
    if (dry_ && f.yields_list) return Value{List{number(1, dim)}};
    if (const char* problem = f.apply(in, out)) {
      if (!dry_) return fail(e, problem);
      out = {1};
    }
    if (!spend(e, out.size())) return std::nullopt;
    List list;
    for (double x : out) {
      Result item = finite(e, x, dim);
      if (!item || !f.yields_list) return item;
      list.push_back(std::move(*item));
    }
    return Value{std::move(list)};
  }

  const Resolver& resolve_;
  Diagnostics& diagnostics_;
  const std::vector<std::string>& candidates_;
  bool dry_;
  Budget& budget_;
};

}  // namespace

std::string describe(const Value& value) {
  if (const auto* x = std::get_if<Number>(&value.v)) return dim_name(x->dim);
  if (std::holds_alternative<bool>(value.v)) return "true or false";
  if (std::holds_alternative<std::string>(value.v)) return "a string";
  if (std::holds_alternative<List>(value.v)) return "a list";
  return "nothing";
}

std::optional<Value> walk(const Expr& expr, const Resolver& resolve, Diagnostics& diagnostics,
                          const std::vector<std::string>& candidates, bool dry, Budget& budget) {
  return Walk(resolve, diagnostics, candidates, dry, budget).eval(expr);
}

std::optional<Value> evaluate(const Expr& expr, const Resolver& resolve, Diagnostics& diagnostics,
                              const std::vector<std::string>& candidates) {
  Budget budget;
  return walk(expr, resolve, diagnostics, candidates, false, budget);
}

}  // namespace dsl
