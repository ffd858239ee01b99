#include <algorithm>
#include <array>
#include <vector>

#include "planner/scaling/fit_single.h"

namespace planner::scaling {
namespace {

// Extra-P 4.2.5, extrap/modelers/single_parameter/refining.py.
constexpr int kHighestPolynomial = 5, kHighestLogarithm = 2, kSteps = 10;
constexpr double kAccepted = 1.5;     // times lower: a step's best joins the models found so far, at first
constexpr double kGoesOn = 2.0;       // times lower: another step
constexpr double kNotConstant = 1.3;  // times lower: better than a constant

/// The constant is not among them.
struct RefinedShape {
  TermShape shape;
  Fit fit;
  size_t position = 0;  // among those it was chosen from
};

/// One exponent is refined while the other is held.
struct Slice {
  bool of_polynomial;
  Fraction held;
  std::array<Fraction, 3> window;  // left, centre, right
  TermShape shape(Fraction f) const { return of_polynomial ? TermShape{f, held} : TermShape{held, f}; }
};

class Refinement {
 public:
  Refinement(std::span<const double> points, std::span<const double> values, const FitOptions& options)
      : points_(points), values_(values), options_(options) {}

  RefinedShape run();

 private:
  RefinedShape best_of(const Slice& slice, std::span<const Fraction> exponents) const;
  void add_slice(Slice slice, int highest);
  void narrow(size_t i);
  double rank(const RefinedShape& c) const { return options_.rank_by_rss ? c.fit.quality.rss : c.fit.quality.smape; }
  const RefinedShape& first_best(const std::vector<RefinedShape>& candidates) const {
    return *std::ranges::min_element(candidates, {}, [&](const RefinedShape& c) { return rank(c); });
  }
  double largest_gain() const;
  void accept(const RefinedShape& step);

  std::span<const double> points_, values_;
  FitOptions options_;
  std::vector<Slice> slices_;
  std::vector<RefinedShape> found_, step_, previous_;
  double threshold_ = kAccepted;
};

Fraction mediant(Fraction a, Fraction b) {
  return lowest_terms({a.numerator + b.numerator, a.denominator + b.denominator});
}

RefinedShape Refinement::best_of(const Slice& slice, std::span<const Fraction> exponents) const {
  std::vector<TermShape> shapes;
  std::vector<size_t> positions;
  for (size_t i = 0; i < exponents.size(); ++i) {
    const TermShape shape = slice.shape(exponents[i]);
    if (shape == TermShape{}) continue;  // the constant
    shapes.push_back(shape);
    positions.push_back(i);
  }
  const SingleSearch search(points_, shapes, options_);
  const size_t best = search.best(values_, std::nullopt).value_or(0);
  return {shapes[best], search.fit(best, values_), positions[best]};
}

void Refinement::add_slice(Slice slice, int highest) {
  std::vector<Fraction> exponents;
  for (int i = 0; i <= highest; ++i) exponents.push_back({i});
  found_.push_back(best_of(slice, exponents));
  const int best = static_cast<int>(found_.back().position);
  slice.window = {Fraction{std::max(best - 1, 0)}, Fraction{best}, Fraction{std::min(best + 1, highest)}};
  slices_.push_back(slice);
}

/// The window becomes the half about the best of its two mediants and its centre.
void Refinement::narrow(size_t i) {
  const auto [left, centre, right] = slices_[i].window;
  const std::array inner = {mediant(left, centre), centre, mediant(centre, right)};
  step_[i] = best_of(slices_[i], inner);
  slices_[i].window = inner;
  if (step_[i].position == 0) slices_[i].window = {left, inner[0], centre};
  if (step_[i].position == 2) slices_[i].window = {centre, inner[2], right};
}

double Refinement::largest_gain() const {
  double gain = 0;
  for (size_t i = 0; i < slices_.size(); ++i)
    gain = std::max(gain, previous_[i].fit.quality.smape / step_[i].fit.quality.smape);
  return gain;
}

void Refinement::accept(const RefinedShape& step) {
  if (first_best(found_).fit.quality.smape / step.fit.quality.smape >= threshold_) {
    found_.push_back(step);
    threshold_ = kAccepted;
  } else {
    threshold_ *= kAccepted;
  }
}

RefinedShape Refinement::run() {
  const bool logarithms = options_.logarithms && logarithms_exist(points_, false);
  for (int log = 0; log <= (logarithms ? kHighestLogarithm : 0); ++log)
    add_slice({true, {log}, {}}, kHighestPolynomial);
  if (logarithms) add_slice({false, {0}, {}}, kHighestLogarithm);
  step_ = previous_ = found_;
  for (int step = 0; step < kSteps; ++step) {
    for (size_t i = 0; i < slices_.size(); ++i) narrow(i);
    accept(first_best(step_));
    if (!(largest_gain() >= kGoesOn)) break;
    std::swap(previous_, step_);
  }
  return first_best(found_);
}

}  // namespace

Fit fit_refining(std::span<const double> points, std::span<const double> values, const FitOptions& options) {
  const Fit constant = constant_fit(values);
  if (constant.quality.rss == 0) return constant;
  const RefinedShape best = Refinement(points, values, options).run();
  const SingleSearch search(points, {best.shape}, options);
  const bool contributes = search.contributes(0, {0, best.fit.model.terms[0].coefficient}, values);
  const bool better = constant.quality.smape / best.fit.quality.smape >= kNotConstant;
  return contributes && better ? best.fit : constant;
}

}  // namespace planner::scaling
