// A formula as a model: products are multiplied out, so that what remains is a sum of terms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dsl/expression_tree.h"
#include "dsl/raw_text.h"
#include "planner/scaling/given.h"

namespace planner::scaling {
namespace {

using Terms = std::vector<Term>;  // a constant is a term without factors

constexpr size_t kMostTerms = 64;
constexpr int kMostDenominator = 1000;
constexpr const char* kNoExponent =
    "an exponent is a fraction with a denominator up to 1000, and a numerator below a million";

constexpr int kNoNumerator = 1'000'000;  // larger than any numerator

bool is_exponent(Fraction f) { return std::abs(f.numerator) < kNoNumerator && f.denominator <= kMostDenominator; }

/// In lowest terms; with kNoNumerator if it is not an exponent.
Fraction fraction(int64_t numerator, int64_t denominator) {
  const int64_t common = std::gcd(numerator, denominator);
  numerator /= common, denominator /= common;
  if (std::abs(numerator) >= kNoNumerator || denominator > kMostDenominator) return {kNoNumerator, 1};
  return {static_cast<int>(numerator), static_cast<int>(denominator)};
}

Fraction times(Fraction a, Fraction b) {
  return fraction(int64_t{a.numerator} * b.numerator, int64_t{a.denominator} * b.denominator);
}

Fraction plus(Fraction a, Fraction b) {
  return fraction(int64_t{a.numerator} * b.denominator + int64_t{b.numerator} * a.denominator,
                  int64_t{a.denominator} * b.denominator);
}

bool is_nothing(const Factor& f) { return f.polynomial == Fraction{} && f.logarithm == Fraction{}; }

Term product(Term a, const Term& b) {
  a.coefficient *= b.coefficient;
  for (const Factor& f : b.factors) {
    const auto same = std::ranges::find(a.factors, f.parameter, &Factor::parameter);
    if (same == a.factors.end()) a.factors.push_back(f);
    else *same = {f.parameter, plus(same->polynomial, f.polynomial), plus(same->logarithm, f.logarithm)};
  }
  std::erase_if(a.factors, is_nothing);
  return a;
}

Term power(Term a, Fraction exponent) {
  a.coefficient = std::pow(a.coefficient, exponent.value());
  for (Factor& f : a.factors) f = {f.parameter, times(f.polynomial, exponent), times(f.logarithm, exponent)};
  std::erase_if(a.factors, is_nothing);
  return a;
}

/// Terms of the same factors are one.
void add(Term term, Terms& sum) {
  const auto alike = [&](const Term& t) {
    return t.factors.size() == term.factors.size() && std::ranges::all_of(t.factors, [&](const Factor& f) {
             return std::ranges::any_of(term.factors, [&](const Factor& g) {
               return f.parameter == g.parameter && f.polynomial == g.polynomial && f.logarithm == g.logarithm;
             });
           });
  };
  const auto same = std::ranges::find_if(sum, alike);
  if (same == sum.end()) sum.push_back(std::move(term));
  else same->coefficient += term.coefficient;
}

class Formula {
 public:
  Formula(std::span<const std::string> parameters, dsl::Diagnostics& diagnostics)
      : parameters_(parameters), diagnostics_(diagnostics) {}

  std::optional<Terms> terms(const dsl::Expr& e) {
    std::optional<Terms> found = any_terms(e);
    if (!found) return found;
    for (const Term& term : *found) {
      if (!std::isfinite(term.coefficient)) return told(e, "this has no finite value");
      for (const Factor& f : term.factors)
        if (!is_exponent(f.polynomial) || !is_exponent(f.logarithm)) return told(e, kNoExponent);
    }
    return found;
  }

 private:
  std::optional<Terms> any_terms(const dsl::Expr& e) {
    using Kind = dsl::Expr::Kind;
    switch (e.kind) {
      case Kind::literal:
        return literal(e);
      case Kind::name:
        return name(e);
      case Kind::negate:
        return scaled(terms(*e.args[0]), -1);
      case Kind::chain:
        return chain(e);
      case Kind::power:
        return powers(e);
      case Kind::call:
        return call(e);
      default:
        return told(e, "a model is a sum of products of numbers, powers of parameters and powers of their log2");
    }
  }

  std::nullopt_t told(const dsl::Expr& e, const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(e.span, message, hint);
    return std::nullopt;
  }

  std::optional<Terms> literal(const dsl::Expr& e) {
    const dsl::Number* n = std::get_if<dsl::Number>(&e.literal.v);
    if (!n || n->dim != dsl::kNone) return told(e, "expected a plain number, got " + dsl::describe(e.literal));
    return Terms{{n->value, {}}};
  }

  std::optional<Terms> name(const dsl::Expr& e) {
    const auto at = std::ranges::find(parameters_, e.name);
    if (at == parameters_.end()) {
      const std::vector<std::string> names(parameters_.begin(), parameters_.end());
      return told(e, fmt::format("no parameter is called '{}'", dsl::shortened(e.name)),
                  fmt::format("parameters are {}", fmt::join(names, ", ")));
    }
    return Terms{{1, {{static_cast<size_t>(at - parameters_.begin()), {1, 1}, {}}}}};
  }

  static std::optional<Terms> scaled(std::optional<Terms> terms, double by) {
    if (terms)
      for (Term& t : *terms) t.coefficient *= by;
    return terms;
  }

  std::optional<Terms> chain(const dsl::Expr& e) {
    std::optional<Terms> left = terms(*e.args[0]);
    for (size_t i = 0; left && i < e.ops.size(); ++i) {
      const std::optional<Terms> right = terms(*e.args[i + 1]);
      left = right ? joined(e, std::move(*left), e.ops[i], *right) : std::nullopt;
    }
    return left;
  }

  std::optional<Terms> joined(const dsl::Expr& e, Terms left, dsl::Op op, const Terms& right) {
    if (op == dsl::Op::add || op == dsl::Op::subtract) {
      for (Term t : right) {
        if (op == dsl::Op::subtract) t.coefficient = -t.coefficient;
        add(std::move(t), left);
      }
      return left;
    }
    if (op == dsl::Op::divide && right.size() == 1 && right[0].coefficient != 0)
      return multiplied(e, left, {power(right[0], {-1, 1})});
    if (op == dsl::Op::divide) return told(e, "a model divides by one term that is not zero");
    if (op == dsl::Op::multiply) return multiplied(e, left, right);
    return told(e, "a model has no comparisons or remainders");
  }

  std::optional<Terms> multiplied(const dsl::Expr& e, const Terms& left, const Terms& right) {
    if (left.size() * right.size() > kMostTerms) return told(e, fmt::format("more than {} terms", kMostTerms));
    Terms out;
    for (const Term& a : left)
      for (const Term& b : right) add(product(a, b), out);
    return out;
  }

  // Folded from the right: a ^ b ^ c is a ^ (b ^ c), and all but the first are numbers.
  std::optional<Terms> powers(const dsl::Expr& e) {
    const std::optional<Terms> base = terms(*e.args[0]);
    double exponent = 1;
    for (size_t i = e.args.size(); base && --i > 0;) {
      const std::optional<Terms> number = terms(*e.args[i]);
      if (!number) return std::nullopt;
      if (number->size() != 1 || !(*number)[0].factors.empty()) return told(*e.args[i], "an exponent is a number");
      exponent = std::pow((*number)[0].coefficient, exponent);
    }
    if (!base) return std::nullopt;
    const std::optional<Fraction> exact = exponent_of(exponent);
    if (!exact) return told(e, kNoExponent);
    if (base->size() != 1) return told(*e.args[0], "a model raises one term to a power, not a sum");
    return Terms{power((*base)[0], *exact)};
  }

  std::optional<Terms> call(const dsl::Expr& e) {
    if (e.args.size() != 1 || (e.name != "log2" && e.name != "sqrt"))
      return told(e, fmt::format("a model has no function '{}'", dsl::shortened(e.name)), "log2 and sqrt are there");
    const std::optional<Terms> inner = terms(*e.args[0]);
    if (!inner) return std::nullopt;
    if (inner->size() == 1 && e.name == "sqrt") return Terms{power((*inner)[0], {1, 2})};
    const bool parameter = inner->size() == 1 && (*inner)[0].coefficient == 1 && (*inner)[0].factors.size() == 1 &&
                           (*inner)[0].factors[0].polynomial == Fraction{1, 1} &&
                           (*inner)[0].factors[0].logarithm == Fraction{};
    if (!parameter) return told(*e.args[0], fmt::format("a model has the {} of a parameter alone", e.name));
    return Terms{{1, {{(*inner)[0].factors[0].parameter, {}, {1, 1}}}}};
  }

  std::span<const std::string> parameters_;
  dsl::Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Pmnf> pmnf_of(const dsl::Expr& tree, std::span<const std::string> parameters,
                            dsl::Diagnostics& diagnostics) {
  std::optional<Terms> terms = Formula(parameters, diagnostics).terms(tree);
  if (!terms) return std::nullopt;
  Pmnf model;
  for (Term& term : *terms) {
    if (term.factors.empty()) model.constant += term.coefficient;
    else model.terms.push_back(std::move(term));
  }
  return model;
}

std::optional<Fraction> exponent_of(double x) {
  for (int q = 1; q <= kMostDenominator; ++q) {
    const double p = std::round(x * q);
    if (std::abs(p) < kNoNumerator && std::abs(x - p / q) <= 1e-12 * std::max(1.0, std::abs(x)))
      return Fraction{static_cast<int>(p), q};
  }
  return std::nullopt;
}

}  // namespace planner::scaling
