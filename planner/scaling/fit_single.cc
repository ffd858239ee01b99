#include "planner/scaling/fit_single.h"

namespace planner::scaling {
namespace {

std::vector<TermShape> shapes_for(std::span<const double> points, const FitOptions& options) {
  const bool negative = options.negative_exponents;
  return default_shapes(options.logarithms && logarithms_exist(points, negative), negative);
}

}  // namespace

SingleFitter::SingleFitter(std::span<const double> points, const FitOptions& options)
    : options_(options), search_(points, shapes_for(points, options), options) {}

Fit SingleFitter::fit(std::span<const double> values) const {
  const Fit constant = constant_fit(values);
  if (constant.quality.rss == 0) return constant;
  const auto best = search_.best(values, options_.rank_by_rss ? constant.quality.rss : constant.quality.smape);
  return best ? search_.fit(*best, values) : constant;
}

Fit fit_single(std::span<const double> points, std::span<const double> values, const FitOptions& options) {
  return SingleFitter(points, options).fit(values);
}

}  // namespace planner::scaling
