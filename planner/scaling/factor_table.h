// Values of many models at the same places: what their factors are there is computed once for all of them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "planner/scaling/terms.h"

namespace planner::scaling {

class FactorTable {
 public:
  /// `places` are values of one parameter.
  explicit FactorTable(std::vector<double> places) : places_(std::move(places)) {}

  const std::vector<double>& places() const { return places_; }

  /// Returns model.at(point) for each place of `parameter`, the other coordinates those of `at`: the same to the last
  /// bit. Valid until the next call.
  std::span<const double> values(const Pmnf& model, std::span<const double> at, size_t parameter);

 private:
  struct FactorColumn {
    Factor factor;
    std::vector<double> values;
  };
  const std::vector<double>& column(const Factor& factor);
  std::span<const double> basis(const Term& term, std::span<const double> at, size_t parameter);

  std::vector<double> places_;
  std::vector<FactorColumn> columns_;
  std::vector<double> values_, basis_;
};

}  // namespace planner::scaling
