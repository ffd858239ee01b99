#include "operator_models/pmnf.h"

#include <charconv>
#include <cmath>
#include <numeric>

namespace operator_models {
namespace {

std::string number(double value, int digits) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr};
}

/// " * p^(5/4)", nothing for the exponent 0.
std::string power(const std::string& base, Fraction exponent) {
  if (exponent == Fraction{0}) return "";
  if (exponent == Fraction{1}) return " * " + base;
  return " * " + base + "^(" + text(exponent) + ")";
}

/// x^exponent, without pow where it is a usual one.
double raised(double x, Fraction exponent) {
  if (exponent.numerator == 0) return 1;
  if (exponent.denominator != 1) return std::pow(x, exponent.value());
  if (exponent.numerator == 1) return x;
  if (exponent.numerator == 2) return x * x;
  return std::pow(x, exponent.numerator);
}

}  // namespace

std::strong_ordering Fraction::operator<=>(const Fraction& b) const {
  return static_cast<long long>(numerator) * b.denominator <=> static_cast<long long>(b.numerator) * denominator;
}

Fraction lowest_terms(Fraction f) {
  const int common = std::gcd(f.numerator, f.denominator);
  return {f.numerator / common, f.denominator / common};
}

Fraction operator+(Fraction a, Fraction b) {
  return lowest_terms({a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator});
}

Fraction operator-(Fraction a) { return {-a.numerator, a.denominator}; }

std::string text(Fraction f) {
  const std::string numerator = std::to_string(f.numerator);
  return f.denominator == 1 ? numerator : numerator + "/" + std::to_string(f.denominator);
}

double Factor::at(double x) const {
  const double value = raised(x, polynomial);
  return logarithm.numerator == 0 ? value : value * raised(std::log2(x), logarithm);
}

double Term::basis(std::span<const double> x) const {
  double value = 1;
  for (const Factor& factor : factors) value *= factor.at(x[factor.parameter]);
  return value;
}

double Pmnf::at(std::span<const double> x) const {
  double value = constant;
  for (const Term& term : terms) value += term.coefficient * term.basis(x);
  return value;
}

std::string text(const Pmnf& model, std::span<const std::string> parameters, int digits) {
  std::string out = number(model.constant, digits);
  for (const Term& term : model.terms) {
    out += (term.coefficient < 0 ? " - " : " + ") + number(std::abs(term.coefficient), digits);
    for (const Factor& factor : term.factors) {
      const std::string& name = parameters[factor.parameter];
      out += power(name, factor.polynomial) + power("log2(" + name + ")", factor.logarithm);
    }
  }
  return out;
}

}  // namespace operator_models
