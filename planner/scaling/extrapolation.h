// Where a model stops making sense beyond its points, and whether values fall with a parameter.
//
// Values of many models at the same places: what their factors are there is computed once for all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
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

/// A range runs along one parameter while the others stay.
struct ParameterRange {
  std::vector<double> at;  // a point, one coordinate per parameter; that of `parameter` is not used
  size_t parameter = 0;
  double from = 1, to = 1;  // 0 < from <= to
};

enum class Oddity {
  negative,    // a time or a count is 0 or less
  undefined,   // not a finite number, as log2(1) under a negative exponent
  superlinear  // the value times the parameter falls: more than twice as fast on twice as many
};

struct Misbehaviour {
  Oddity oddity;
  double from;  // the parameter's value at which it begins
};

/// Examines models one after another; models over the same range share intermediate results.
class Behaviour {
 public:
  /// Returns each kind of misbehaviour once, at its first place. `superlinear` is checked only if requested: it is odd
  /// for a time over a number of processors, but not for values over another parameter.
  std::vector<Misbehaviour> oddities(const Pmnf& model, const ParameterRange& range, bool over_processors = false);

 private:
  FactorTable& steps(const ParameterRange& range);

  double from_ = 0, to_ = 0;
  std::optional<FactorTable> steps_;  // of the range above
};

/// Returns a sentence such as "the model turns negative at p = 126.5"; `parameter` is the parameter's name.
std::string text(const Misbehaviour& misbehaviour, const std::string& parameter);

/// Returns whether the values are those of strong scaling: between points that differ in `parameter` alone the value
/// falls in at least four of five pairs as the parameter grows, and by a tenth or more from the first to the last.
/// Negative exponents are worth trying then.
bool falls_with(std::span<const std::vector<double>> points, std::span<const double> values, size_t parameter);

}  // namespace planner::scaling
