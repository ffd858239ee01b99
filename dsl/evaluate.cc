// The walk over an expression's tree: names, laziness, budgets and the places of messages.
#include <fmt/format.h>

#include <cmath>

#include "dsl/lower_case.h"
#include "dsl/operators.h"
#include "dsl/raw_text.h"

namespace dsl {
namespace {

constexpr std::pair<const char*, const char*> kBooleans[] = {
    {"yes", "true"}, {"on", "true"},   {"True", "true"},   {"TRUE", "true"},   {"Yes", "true"}, {"On", "true"},
    {"no", "false"}, {"off", "false"}, {"False", "false"}, {"FALSE", "false"}, {"No", "false"}, {"Off", "false"},
};

// The text of a place, as it is written.
std::string_view written(const Span& span) {
  const size_t at = offset_of(span);
  return at == std::string::npos ? std::string_view()
                                 : std::string_view(span.source->text).substr(at, static_cast<size_t>(span.length));
}

bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }

class ExpressionWalk {
 public:
  ExpressionWalk(const Resolver& resolve, Diagnostics& diagnostics, const std::vector<std::string>& candidates,
                 bool dry, Budget& budget)
      : resolve_(resolve), diagnostics_(diagnostics), candidates_(candidates), dry_(dry), budget_(budget) {}

  using Result = std::optional<Value>;

  Result eval(const Expr& e) {
    if (++budget_.depth > Budget::kDepth) {
      --budget_.depth;
      return fail(e.span, "expressions refer to each other too deeply");
    }
    Result result = eval_kind(e);
    --budget_.depth;
    return result;
  }

 private:
  Result eval_kind(const Expr& e) {
    switch (e.kind) {
      case Expr::Kind::literal:
        return e.literal;
      case Expr::Kind::name:
        return eval_name(e);
      case Expr::Kind::list:
        return eval_list(e);
      case Expr::Kind::call:
        return eval_call(e);
      case Expr::Kind::chain:
        return eval_chain(e);
      case Expr::Kind::power:
        return eval_power(e);
      case Expr::Kind::negate:
        return eval_negate(e);
      case Expr::Kind::invert:
        return eval_invert(e);
      case Expr::Kind::all:
        return eval_logic(e, false);
      case Expr::Kind::any:
        return eval_logic(e, true);
    }
    return std::nullopt;
  }

  Result fail(const Span& span, std::string message, std::string hint = {}) {
    diagnostics_.error(span, std::move(message), std::move(hint));
    return std::nullopt;
  }

  bool spend(const Expr& e, double work) {
    budget_.work += static_cast<int64_t>(work);
    if (budget_.work <= Budget::kWork) return true;
    fail(e.span, "the expressions take too many steps", "use shorter lists and smaller arguments of divisors");
    return false;
  }
  static double size_of(const Value& value) {
    const auto* list = std::get_if<List>(&value.v);
    return list ? static_cast<double>(list->size()) : 0;
  }

  // The value of an outcome; a problem is reported at `whole` or at the operand to blame.
  Result reported(OperatorOutcome&& o, const Span& whole, std::initializer_list<const Expr*> operands) {
    if (o.value) return std::move(o.value);
    const bool one = o.blame >= 0 && static_cast<size_t>(o.blame) < operands.size();
    return fail(one ? operands.begin()[o.blame]->span : whole, std::move(o.problem), std::move(o.hint));
  }

  // ---- names and lists

  Result eval_name(const Expr& e) {
    Result value = resolve_(e.name, e.span);
    if (!value) return unknown_name(e);
    if (value->is_null() || !spend(e, size_of(*value))) return std::nullopt;  // null: the resolver reported why
    return value;
  }

  Result unknown_name(const Expr& e) {
    if (find_function(e.name))
      return fail(e.span, "'" + e.name + "' is a function; it takes its arguments in brackets");
    if (is_reserved_word(e.name))
      return fail(e.span, "expected a value, got the unit '" + e.name + "'",
                  "a unit follows its number, holds no blank and at most one '/': 900 GB/s");
    return fail(e.span, "unknown name '" + e.name + "'", name_hint(e.name));
  }

  std::string name_hint(const std::string& name) const {
    if (beside_string_) return "write '\"" + name + "\"'";
    for (const auto& [said, meant] : kBooleans)
      if (name == said) return fmt::format("write '{}'", meant);
    for (const char* word : {"auto", "default", "none", "None", "unset"})
      if (name == word) return "leave the field out: it then has its default";
    std::string hint = did_you_mean(name, candidates_);
    if (hint.empty() && is_placeholder(name)) return "put a value in place of " + name;
    if (hint.empty() && !meant_unit(name, false).empty()) hint = "write '" + meant_unit(name, false) + "'";
    return hint.empty() ? "a field is written with its path (section.field), a string in double quotes" : hint;
  }

  Result eval_list(const Expr& e) {
    if (!spend(e, static_cast<double>(e.args.size()))) return std::nullopt;
    List items;
    for (const ExprPtr& arg : e.args) {
      Result item = eval(*arg);
      if (item && std::holds_alternative<List>(item->v)) item = fail(arg->span, "a list does not hold lists");
      if (item) items.push_back(std::move(*item));
    }
    if (items.size() < e.args.size()) return std::nullopt;
    return Value{std::move(items)};
  }

  // ---- operators

  Result eval_chain(const Expr& e) {
    Result left = eval(*e.args[0]);
    for (size_t i = 0; i < e.ops.size(); ++i) {
      const Expr &first = *e.args[0], &second = *e.args[i + 1];
      beside_string_ = left && std::holds_alternative<std::string>(left->v);
      Result right = eval(second);  // also where the left side failed: it may hold mistakes of its own
      beside_string_ = false;
      if (left && right) left = step(e, i, first, second, *left, *right);
      else left = std::nullopt;
    }
    return left;
  }

  Result step(const Expr& e, size_t i, const Expr& first, const Expr& second, const Value& left, const Value& right) {
    if (!spend(second, size_of(right))) return std::nullopt;
    OperatorOutcome o = apply(e.ops[i], left, right, dry_);
    Span whole = e.span;
    const bool apart = second.span.line == e.span.line && second.span.column > e.span.column;
    if (apart) whole.length = second.span.column + second.span.length - e.span.column;
    if (const std::string bits = in_bits(second);
        is_comparison(e.ops[i]) && first.kind == Expr::Kind::name && !bits.empty() && o.value)
      return fail(second.span, "expected bytes, got " + bits + ", which are bits", as_bytes(bits));
    if (o.both_sides && apart && first.span.source) o.hint = unit_hint(left, right, second, whole);
    if (o.both_sides && apart && first.span.source && o.hint.empty())
      o.hint = fmt::format("{}:{} is {}, {}:{} is {}", first.span.line, first.span.column, describe(left),
                           second.span.line, second.span.column, describe(right));
    return reported(std::move(o), whole, {&first, &second});
  }

  // "write 'size <= 80 GB'", if a plain number is compared with a quantity.
  static std::string unit_hint(const Value& left, const Value& right, const Expr& second, const Span& whole) {
    const auto *x = std::get_if<Number>(&left.v), *y = std::get_if<Number>(&right.v);
    if (!x || !y || !(y->dim == kNone) || second.kind != Expr::Kind::literal) return "";
    return with_usual_units(written(whole), x->dim);
  }

  // The text of a figure that is written in bits, or "".
  static std::string in_bits(const Expr& e) {
    const auto* x = e.kind == Expr::Kind::literal ? std::get_if<Number>(&e.literal.v) : nullptr;
    const std::string text = x && x->dim == kData ? std::string(written(e.span)) : "";
    return text.ends_with('b') ? text : "";
  }

  Result eval_power(const Expr& e) {
    Result right = eval(*e.args.back());
    for (size_t i = e.args.size() - 1; i-- > 0;) {
      Result left = eval(*e.args[i]);
      if (left && right)
        right = reported(apply(Op::power, *left, *right, dry_), e.span, {e.args[i].get(), e.args[i + 1].get()});
      else right = std::nullopt;
    }
    return right;
  }

  Result eval_negate(const Expr& e) {
    Result value = eval(*e.args[0]);
    return value ? reported(negate(*value), e.span, {e.args[0].get()}) : value;
  }

  Result boolean(const Expr& e, const char* where) {
    Result value = eval(e);
    if (value && !std::holds_alternative<bool>(value->v))
      return fail(e.span, fmt::format("expected true or false {}, got {}", where, describe(*value)));
    return value;
  }

  Result eval_invert(const Expr& e) {
    Result value = boolean(*e.args[0], "after 'not'");
    if (value) value->v = !std::get<bool>(value->v);
    return value;
  }

  // 'and' (deciding: false) and 'or' (deciding: true) stop at the first operand that decides.
  Result eval_logic(const Expr& e, bool deciding) {
    bool result = !deciding, good = true;
    for (const ExprPtr& arg : e.args) {
      Result value = boolean(*arg, deciding ? "beside 'or'" : "beside 'and'");
      if (!value) good = false;
      else if (std::get<bool>(value->v) == deciding) result = deciding;
      if (!dry_ && (!value || result == deciding)) break;
    }
    if (!good) return std::nullopt;
    return Value{result};
  }

  // ---- functions

  Result eval_call(const Expr& e) {
    const Function* f = find_function(e.name);
    if (!f) return unknown_function(e);
    const int count = static_cast<int>(e.args.size());
    if (count < f->least || count > f->most) return fail(e.span, arity(*f, count));
    if (f->rule == ArgumentRule::lazy) return eval_if(e);
    std::vector<Value> args;
    double work = static_cast<double>(count);
    for (const ExprPtr& arg : e.args) {
      if (Result value = eval(*arg)) args.push_back(std::move(*value));
      if (!args.empty()) work += size_of(args.back());
    }
    if (args.size() < e.args.size()) return std::nullopt;
    if (const auto* x = std::get_if<Number>(&args[0].v); x && f->trial_division && !dry_)
      work += std::sqrt(std::fmin(std::fabs(x->value), 1e12));
    if (!spend(e, work)) return std::nullopt;
    OperatorOutcome o = call(*f, args, dry_);
    if (o.value && !spend(e, size_of(*o.value))) return std::nullopt;
    const Span place = o.blame >= 0 ? e.args[static_cast<size_t>(o.blame)]->span : e.span;
    return reported(std::move(o), place, {});
  }

  Result unknown_function(const Expr& e) {
    std::vector<std::string> names;
    for (const Function& row : functions()) names.emplace_back(row.name);
    std::string hint = did_you_mean(e.name, names);
    if (hint.empty()) hint = fmt::format("functions are {}", fmt::join(names, ", "));
    Span name = e.span;
    name.length = std::min(name.length, static_cast<int>(e.name.size()));
    return fail(name, "unknown function '" + e.name + "'", hint);
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
    const bool lists = std::holds_alternative<List>(a->v) && std::holds_alternative<List>(b->v);
    if (lists || alike(*a, *b)) return a;
    return fail(e.span, fmt::format("if yields {} or {}", describe(*a), describe(*b)), "both must be of one kind");
  }

  const Resolver& resolve_;
  Diagnostics& diagnostics_;
  const std::vector<std::string>& candidates_;
  bool dry_;
  bool beside_string_ = false;  // a name here is compared with a string
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
  return ExpressionWalk(resolve, diagnostics, candidates, dry, budget).eval(expr);
}

std::optional<Value> evaluate(const Expr& expr, const Resolver& resolve, Diagnostics& diagnostics,
                              const std::vector<std::string>& candidates) {
  Budget budget;
  return walk(expr, resolve, diagnostics, candidates, false, budget);
}

}  // namespace dsl
