#include "planner/scaling/factor_table.h"

namespace planner::scaling {
namespace {

constexpr size_t kMostCells = 4'000'000;  // that are kept: 32 MB

bool same(const Factor& a, const Factor& b) {
  const auto written_alike = [](Fraction x, Fraction y) {
    return x.numerator == y.numerator && x.denominator == y.denominator;
  };
  return written_alike(a.polynomial, b.polynomial) && written_alike(a.logarithm, b.logarithm);
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

}  // namespace planner::scaling
