#include "planner/scaling/fit_multi.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "planner/scaling/fit_single.h"
#include "planner/scaling/linear_least_squares.h"

namespace planner::scaling {
namespace {

/// Relative difference of two errors that is rounding.
constexpr double kTie = 1e-9;

using Points = std::span<const std::vector<double>>;

/// Which of the factors a term multiplies, one bit each.
using Mask = unsigned;
using Mixture = std::vector<Mask>;

/// Mixtures of sums and products of x = 1, y = 2, z = 4, after the product and the sum, in the order in which Extra-P
/// 4.2.5 tries them (extrap/modelers/multi_parameter/multi_parameter_modeler.py); of four parameters none.
const std::vector<Mixture> kOfTwo = {{1, 3}, {2, 3}};
const std::vector<Mixture> kOfThree = {{7, 1},    {7, 2},    {7, 4},    {7, 3},    {7, 6},    {7, 5},    {7, 3, 4},
                                       {7, 6, 1}, {7, 5, 2}, {7, 1, 2}, {7, 1, 4}, {7, 2, 4}, {3, 4},    {3, 4, 2},
                                       {3, 4, 1}, {5, 2},    {5, 2, 1}, {5, 2, 4}, {6, 1},    {6, 1, 2}, {6, 1, 4}};

std::vector<Mixture> mixtures(size_t factors, bool all) {
  Mixture sum;
  for (size_t i = 0; i < factors; ++i) sum.push_back(1u << i);
  std::vector<Mixture> list = {{(1u << factors) - 1}, sum};
  if (all && factors == 2) list.insert(list.end(), kOfTwo.begin(), kOfTwo.end());
  if (all && factors == 3) list.insert(list.end(), kOfThree.begin(), kOfThree.end());
  return list;
}

Pmnf unfitted(const Mixture& mixture, const std::vector<Factor>& factors) {
  Pmnf model;
  for (const Mask mask : mixture) {
    model.terms.emplace_back();
    for (size_t i = 0; i < factors.size(); ++i)
      if (mask & (1u << i)) model.terms.back().factors.push_back(factors[i]);
  }
  return model;
}

size_t factor_count(const Pmnf& model) {
  size_t count = 0;
  for (const Term& term : model.terms) count += term.factors.size();
  return count;
}

/// An error of 0 at a value of 0 counts as none.
Quality quality_at(const Pmnf& model, Points points, std::span<const double> values) {
  Quality quality = quality_of([&](size_t i) { return model.at(points[i]); }, values);
  quality.ar2 = adjusted_r2(quality.rss, spread_of(values), points.size(), factor_count(model));
  return quality;
}

/// With the coefficients that fit all points best; nullopt: the points do not distinguish the terms.
std::optional<Fit> fitted(Pmnf model, Points points, std::span<const double> values) {
  const LinearLeastSquares system(columns_of(model, points));
  if (!system.full_rank()) return std::nullopt;
  const std::vector<double> coefficients = system.solve(values);
  model.constant = coefficients[0];
  for (size_t i = 0; i < model.terms.size(); ++i) model.terms[i].coefficient = coefficients[i + 1];
  const Quality quality = quality_at(model, points, values);
  return Fit{std::move(model), quality};
}

bool contributes(const Term& term, Points points, std::span<const double> values, double least) {
  if (term.coefficient == 0) return false;
  for (size_t i = 0; i < points.size(); ++i)
    if (!(std::abs(term.coefficient * term.basis(points[i]) / values[i]) < least)) return true;
  return false;
}

bool all_contribute(const Pmnf& model, Points points, std::span<const double> values, double least) {
  for (const Term& term : model.terms)
    if (!contributes(term, points, values, least)) return false;
  return true;
}

/// The model of the one parameter that matters: as its row gave it, or fitted to all points where that is better.
Fit fit_one(const Pmnf& of_row, const Factor& factor, Points points, std::span<const double> values, bool by_rss) {
  Fit row{of_row, {}};
  row.model.terms[0].factors = {factor};
  row.quality = quality_at(row.model, points, values);
  const std::optional<Fit> all = fitted(row.model, points, values);
  if (!all) return row;
  const bool better = (by_rss && all->quality.rss < row.quality.rss) || all->quality.smape < row.quality.smape;
  return better ? *all : row;
}

/// The first is kept whatever its terms contribute until another beats it.
MultiFit best_mixture(const std::vector<Factor>& factors, Points points, std::span<const double> values,
                      const MultiOptions& options) {
  std::optional<Fit> best;
  std::vector<double> errors;
  const auto rank = [&](const Fit& f) { return options.rank_by_rss ? f.quality.rss : f.quality.smape; };
  for (const Mixture& mixture : mixtures(factors.size(), options.mixtures)) {
    std::optional<Fit> fit = fitted(unfitted(mixture, factors), points, values);
    if (!fit) continue;
    if (best && !all_contribute(fit->model, points, values, options.single.least_contribution)) continue;
    errors.push_back(rank(*fit));
    if (!best || rank(*fit) < rank(*best)) best = std::move(fit);
  }
  if (!best) return {constant_fit(values)};
  const double nearly = rank(*best) * (1 + kTie);
  return {*best, std::ranges::count_if(errors, [&](double error) { return error <= nearly; }) > 1};
}

/// The best term of each parameter that matters, and the model it is of.
std::vector<std::pair<Factor, Pmnf>> single_models(Points points, std::span<const double> values,
                                                   const MultiOptions& options) {
  std::vector<std::pair<Factor, Pmnf>> models;
  const std::vector<ParameterRow> rows = rows_of(points, values, options);
  for (size_t parameter = 0; parameter < rows.size(); ++parameter) {
    const Fit fit = fit_single(rows[parameter].points, rows[parameter].values, options.single);
    if (fit.model.terms.empty()) continue;
    models.emplace_back(fit.model.terms[0].factors[0], fit.model);
    models.back().first.parameter = parameter;
  }
  return models;
}

}  // namespace

MultiFit fit_multi(Points points, std::span<const double> values, const MultiOptions& options) {
  const auto models = single_models(points, values, options);
  if (models.empty()) return {constant_fit(values)};
  if (models.size() == 1) return {fit_one(models[0].second, models[0].first, points, values, options.rank_by_rss)};
  std::vector<Factor> factors;
  for (const auto& [factor, model] : models) factors.push_back(factor);
  return best_mixture(factors, points, values, options);
}

}  // namespace planner::scaling
