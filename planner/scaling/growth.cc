#include "planner/scaling/growth.h"

#include <cmath>
#include <string_view>

namespace planner::scaling {

std::weak_ordering Growth::operator<=>(const Growth& b) const {
  if (const auto order = polynomial <=> b.polynomial; order != 0) return order;
  return logarithm <=> b.logarithm;
}

Growth growth(const Pmnf& model, std::optional<size_t> parameter) {
  std::optional<Growth> leading;
  if (model.constant != 0 || model.terms.empty()) leading = Growth{{}, {}, model.constant, std::nullopt};
  for (size_t i = 0; i < model.terms.size(); ++i) {
    Growth of_term{{}, {}, model.terms[i].coefficient, i};
    for (const Factor& factor : model.terms[i].factors) {
      if (parameter && factor.parameter != *parameter) continue;
      of_term.polynomial = of_term.polynomial + factor.polynomial;
      of_term.logarithm = of_term.logarithm + factor.logarithm;
    }
    const bool larger =
        leading && of_term == *leading && std::abs(of_term.coefficient) > std::abs(leading->coefficient);
    if (!leading || of_term > *leading || larger) leading = of_term;
  }
  return *leading;
}

std::string big_o(const Pmnf& model, const Growth& growth, std::span<const std::string> parameters) {
  if (!growth.term || growth == Growth{}) return "O(1)";
  const Pmnf leading{0, {{1, model.terms[*growth.term].factors}}};
  return "O(" + text(leading, parameters).substr(std::string_view("0 + 1 * ").size()) + ")";
}

}  // namespace planner::scaling
