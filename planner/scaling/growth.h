// How a model grows: its Big O class and the order among these, and the term that makes it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "planner/scaling/terms.h"

namespace planner::scaling {

/// A class of growth is x^polynomial * log2(x)^logarithm; {0, 0} is a constant, and less than it are values that fall
/// towards 0.
struct Growth {
  Fraction polynomial, logarithm;
  double coefficient = 0;      // of the leading term; negative: the values fall without end
  std::optional<size_t> term;  // the leading one; nullopt: the constant

  /// Compares the classes alone, not the coefficients.
  std::weak_ordering operator<=>(const Growth& b) const;
  bool operator==(const Growth& b) const { return (*this <=> b) == 0; }
};

/// Returns how a model grows as one parameter grows and the others stay fixed, or as all grow together (no
/// `parameter`). Of terms of the same class the one with the larger coefficient leads.
Growth growth(const Pmnf& model, std::optional<size_t> parameter = std::nullopt);

/// Returns the leading term with all its factors, such as "O(p^(5/4) * log2(p))"; "O(1)" where the model does not grow.
std::string big_o(const Pmnf& model, const Growth& growth, std::span<const std::string> parameters);

}  // namespace planner::scaling
