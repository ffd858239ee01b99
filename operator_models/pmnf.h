// The performance model normal form: f(x) = c0 + sum over terms k of c_k * prod over parameters l of
// x_l^i_kl * log2(x_l)^j_kl (Calotoiu et al., SC13, eq. 1; Extra-Deep, section II-B), the functions that measurements
// are fitted with.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace operator_models {

/// An exponent, kept exact. The denominator is positive.
struct Fraction {
  int numerator = 0, denominator = 1;
  double value() const { return static_cast<double>(numerator) / denominator; }
  bool operator==(const Fraction& b) const { return (*this <=> b) == 0; }
  std::strong_ordering operator<=>(const Fraction& b) const;
};

Fraction lowest_terms(Fraction f);
Fraction operator+(Fraction a, Fraction b);  // in lowest terms
Fraction operator-(Fraction a);

/// "5/4", or "2" for a whole number.
std::string text(Fraction f);

/// x^polynomial * log2(x)^logarithm, of the parameter with that index.
struct Factor {
  size_t parameter = 0;
  Fraction polynomial, logarithm;
  double at(double x) const;
};

struct Term {
  double coefficient = 1;
  std::vector<Factor> factors;                    // at most one per parameter
  double basis(std::span<const double> x) const;  // the term without its coefficient
};

/// Of one model.
inline constexpr size_t kMostParameters = 4;

struct Pmnf {
  double constant = 0;
  std::vector<Term> terms;  // none: a constant model
  double at(std::span<const double> x) const;
  double at(double x) const { return at(std::span(&x, 1)); }  // of a model of one parameter
};

/// "-3.1 + 2 * p^(5/4) * log2(p)". `digits`: of each coefficient, significant ones.
std::string text(const Pmnf& model, std::span<const std::string> parameters, int digits = 6);

}  // namespace operator_models
