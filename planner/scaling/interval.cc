#include "planner/scaling/interval.h"

#include <cmath>
#include <limits>

namespace planner::scaling {

namespace {

/// The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), from the front by Lentz'
/// method.
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr int kMost = 10000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m < kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double numerator : {even, odd}) {
      d = 1 / away_from_zero(1 + numerator * d);
      c = away_from_zero(1 + numerator / c);
      change = d * c;
      fraction *= change;
    }
    if (std::abs(change - 1) < kEpsilon) break;
  }
  return fraction;
}

/// I_x(a, b), regularised.
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double solve_two_sided(double level, double freedom) {
  const double wanted = (1 + level) / 2;
  double low = 0, high = 1;
  while (student_cdf(high, freedom) < wanted) high *= 2;
  while (high - low > 1e-12 * high) {
    const double middle = (low + high) / 2;
    (student_cdf(middle, freedom) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double student_cdf(double t, double freedom) {
  const double tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;  // A&S 26.7.1
  return t > 0 ? 1 - tail : tail;
}

double student_two_sided(double level, double freedom) {
  // Most models of a run have as many points as the last one: the last answer is kept.
  struct Answer {
    double level, freedom, t;
  };
  thread_local Answer last{0, 0, 0};
  if (last.level != level || last.freedom != freedom) last = {level, freedom, solve_two_sided(level, freedom)};
  return last.t;
}

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
