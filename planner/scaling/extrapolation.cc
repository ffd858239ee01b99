#include "planner/scaling/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace planner::scaling {
namespace {

constexpr size_t kMostCells = 4'000'000;  // that are kept: 32 MB

bool same(const Factor& a, const Factor& b) {
  const auto written_alike = [](Fraction x, Fraction y) {
    return x.numerator == y.numerator && x.denominator == y.denominator;
  };
  return written_alike(a.polynomial, b.polynomial) && written_alike(a.logarithm, b.logarithm);
}

constexpr int kSteps = 512;         // looked at between the ends, in equal ratios
constexpr double kPairShare = 0.8;  // of pairs that fall
constexpr double kDrop = 0.1;       // from first to last, of the first

double value_at(const Pmnf& model, const ParameterRange& range, double x) {
  std::vector<double> point = range.at;
  point[range.parameter] = x;
  return model.at(point);
}

double step_at(const ParameterRange& range, int step) {
  if (step == kSteps) return range.to;
  return range.from * std::pow(range.to / range.from, static_cast<double>(step) / kSteps);
}

/// Where it becomes odd between the step that is and the one before, made precise by halving.
double precise_place(std::span<const double> places, size_t step, const std::function<bool(double)>& is_odd) {
  double high = places[step], low = step == 0 ? high : places[step - 1];
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (is_odd(middle) ? high : low) = middle;
  }
  return high;
}

/// Of two points: whether they differ in the parameter alone.
bool one_line(const std::vector<double>& a, const std::vector<double>& b, size_t parameter) {
  for (size_t i = 0; i < a.size(); ++i)
    if ((a[i] == b[i]) == (i == parameter)) return false;
  return true;
}

}  // namespace

const std::vector<double>& FactorTable::column(const Factor& factor) {
  for (const FactorColumn& c : columns_)
    if (same(c.factor, factor)) return c.values;
  if ((columns_.size() + 1) * places_.size() > kMostCells) columns_.clear();
  FactorColumn& added = columns_.emplace_back(FactorColumn{factor, {}});
  added.values.reserve(places_.size());
  for (const double x : places_) added.values.push_back(factor.at(x));
  return added.values;
}

// Factor by factor, as Term::basis does; times 1 a factor stays what it is.
std::span<const double> FactorTable::basis(const Term& term, std::span<const double> at, size_t parameter) {
  if (term.factors.size() == 1 && term.factors[0].parameter == parameter) return column(term.factors[0]);
  basis_.assign(places_.size(), 1.0);
  for (const Factor& factor : term.factors) {
    if (factor.parameter == parameter) {
      const std::vector<double>& values = column(factor);
      for (size_t i = 0; i < values.size(); ++i) basis_[i] *= values[i];
    } else {
      const double value = factor.at(at[factor.parameter]);
      for (double& b : basis_) b *= value;
    }
  }
  return basis_;
}

std::span<const double> FactorTable::values(const Pmnf& model, std::span<const double> at, size_t parameter) {
  values_.assign(places_.size(), model.constant);
  for (const Term& term : model.terms) {
    const std::span<const double> bases = basis(term, at, parameter);
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += term.coefficient * bases[i];
  }
  return values_;
}

FactorTable& Behaviour::steps(const ParameterRange& range) {
  if (!steps_ || from_ != range.from || to_ != range.to) {
    from_ = range.from;
    to_ = range.to;
    std::vector<double> places;
    for (int step = 0; step <= kSteps; ++step) places.push_back(step_at(range, step));
    steps_.emplace(std::move(places));
  }
  return *steps_;
}

std::vector<Misbehaviour> Behaviour::oddities(const Pmnf& model, const ParameterRange& range, bool over_processors) {
  FactorTable& table = steps(range);
  const std::span<const double> values = table.values(model, range.at, range.parameter), places = table.places();
  const auto value = [&](double x) { return value_at(model, range, x); };
  std::vector<Misbehaviour> found;
  // `at_step` says of a step by its value what `is_odd` says of any place.
  const auto look = [&](Oddity oddity, const auto& at_step, const std::function<bool(double)>& is_odd) {
    for (size_t step = 0; step < places.size(); ++step)
      if (at_step(step)) return found.push_back({oddity, precise_place(places, step, is_odd)});
  };
  look(
      Oddity::negative, [&](size_t step) { return values[step] <= 0; }, [&](double x) { return value(x) <= 0; });
  look(
      Oddity::undefined, [&](size_t step) { return !std::isfinite(values[step]); },
      [&](double x) { return !std::isfinite(value(x)); });
  const double ratio = std::pow(range.to / range.from, 1.0 / kSteps);
  if (!over_processors || !(ratio > 1)) return found;
  const auto is_superlinear = [&](double x) {  // against a step before, itself inside the range
    return x > range.from * ratio && value(x) > 0 && value(x) * ratio < value(x / ratio) * (1 - 1e-9);
  };
  look(
      Oddity::superlinear, [&](size_t step) { return is_superlinear(places[step]); }, is_superlinear);
  return found;
}

std::string text(const Misbehaviour& misbehaviour, const std::string& parameter) {
  static constexpr const char* kWhat[] = {"turns negative", "is undefined", "falls faster than 1/"};
  char place[32];
  std::snprintf(place, sizeof place, "%.4g", misbehaviour.from);
  std::string what = kWhat[static_cast<int>(misbehaviour.oddity)];
  if (misbehaviour.oddity == Oddity::superlinear) what += parameter;
  return "the model " + what + " from " + parameter + " = " + place;
}

bool falls_with(std::span<const std::vector<double>> points, std::span<const double> values, size_t parameter) {
  double pairs = 0, falling = 0, largest_drop = 0, longest = 0;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < points.size(); ++j) {
      const double ratio = points[j][parameter] / points[i][parameter];
      if (!(ratio > 1) || !one_line(points[i], points[j], parameter)) continue;
      pairs += 1;
      if (values[j] < values[i]) falling += 1;
      const double drop = (values[i] - values[j]) / std::abs(values[i]);
      if (ratio > longest) largest_drop = drop;
      longest = std::max(longest, ratio);
    }
  return pairs > 0 && falling >= kPairShare * pairs && largest_drop >= kDrop;
}

}  // namespace planner::scaling
