// How a model grows: its Big O class and the order among these, and the term that makes it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "planner/scaling/pmnf.h"

namespace planner::scaling {

/// x^polynomial * log2(x)^logarithm; {0, 0} for a constant, below it for values that fall towards 0.
struct Growth {
  Fraction polynomial, logarithm;
  double coefficient = 0;      // of the leading term; negative: the values fall without end
  std::optional<size_t> term;  // the leading one; none: the constant

  /// Of the class alone, not of the coefficient.
  std::weak_ordering operator<=>(const Growth& b) const;
  bool operator==(const Growth& b) const { return (*this <=> b) == 0; }
};

/// As one parameter grows and the others stay, or as all grow alike (no `parameter`). Terms of the same class: the one
/// with the larger coefficient leads.
Growth growth(const Pmnf& model, std::optional<size_t> parameter = std::nullopt);

/// "O(p^(5/4) * log2(p))": the leading term with all its factors; "O(1)" where it does not grow.
std::string big_o(const Pmnf& model, const Growth& growth, std::span<const std::string> parameters);

}  // namespace planner::scaling
