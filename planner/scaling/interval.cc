#include "planner/scaling/interval.h"

#include <cmath>

#include "planner/scaling/student.h"

namespace planner::scaling {

Band::Band(const Pmnf& model, std::span<const std::vector<double>> points, std::span<const double> values, double level)
    : model_(model), system_(columns_of(model, points)) {
  const double freedom = static_cast<double>(points.size()) - static_cast<double>(model.terms.size()) - 1;
  if (freedom <= 0 || !system_.full_rank()) return;
  double rss = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double difference = model.at(points[i]) - values[i];
    rss += difference * difference;
  }
  residual_ = std::sqrt(rss / freedom);
  t_ = student_two_sided(level, freedom);
}

std::optional<double> Band::residual() const { return t_ > 0 ? std::optional(residual_) : std::nullopt; }

std::pair<double, double> Band::value_and_leverage(std::span<const double> x) const {
  std::vector<double> terms;
  terms.reserve(model_.terms.size() + 1);
  terms.push_back(1);
  double value = model_.constant;
  for (const Term& term : model_.terms) {
    terms.push_back(term.basis(x));
    value += term.coefficient * terms.back();
  }
  return {value, system_.leverage(terms)};
}

Band::Both Band::both(std::span<const double> x) const {
  if (t_ == 0) return {};
  const auto [value, leverage] = value_and_leverage(x);
  const auto around = [&, value = value, leverage = leverage](double more) {
    const double half = t_ * residual_ * std::sqrt(more + leverage);
    return Interval{value - half, value + half};
  };
  return {around(0), around(1)};
}

std::optional<Interval> Band::confidence(std::span<const double> x) const { return both(x).confidence; }
std::optional<Interval> Band::prediction(std::span<const double> x) const { return both(x).prediction; }

}  // namespace planner::scaling
