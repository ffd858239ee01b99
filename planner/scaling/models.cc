#include "planner/scaling/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "dsl/lower_case.h"
#include "planner/scaling/fit_multi.h"
#include "planner/scaling/fit_single.h"

namespace planner::scaling {
namespace {

/// A series with its points resolved, those to fit apart from those to predict.
struct SeriesSample {
  std::vector<std::vector<double>> points, held;
  std::vector<double> values, held_values;
  double variation = 0;
};

double variation_of(const std::vector<double>& repetitions) {
  const auto [low, high] = std::ranges::minmax(repetitions);
  const double mean = mean_of(repetitions);
  return mean == 0 ? 0 : (high - low) / std::abs(mean);
}

SeriesSample sample_of(const Experiment& e, const MeasurementSeries& series, const ModelOptions& options) {
  const Measure measure = options.measure.value_or(e.median ? Measure::median : Measure::mean);
  SeriesSample sample;
  sample.points.reserve(series.points.size());
  sample.values.reserve(series.points.size());
  for (size_t i = 0; i < series.points.size(); ++i) {
    const std::vector<double>& point = e.points[series.points[i]];
    const double value = representative(series.values[i], measure);
    const bool held = options.evaluate_from && point[0] >= *options.evaluate_from;
    (held ? sample.held : sample.points).push_back(point);
    (held ? sample.held_values : sample.values).push_back(value);
    sample.variation = std::max(sample.variation, variation_of(series.values[i]));
  }
  return sample;
}

std::vector<double> column(const std::vector<std::vector<double>>& points, size_t parameter) {
  std::vector<double> out;
  out.reserve(points.size());
  for (const auto& point : points) out.push_back(point[parameter]);
  return out;
}

std::vector<size_t> falling_parameters(const SeriesSample& sample, size_t parameters) {
  std::vector<size_t> out;
  for (size_t p = 0; p < parameters; ++p)
    if (falls_with(sample.points, sample.values, p)) out.push_back(p);
  return out;
}

void take(Fit fit, Model& model) {
  model.parts = {std::move(fit.model)};
  model.quality = fit.quality;
}

// The refinement follows one path of exponents, while an error halves, and has no negative ones: it may stop above the
// best of the fixed list, as Extra-P's does.
Fit fit_refining_or_better(std::span<const double> x, std::span<const double> values, const FitOptions& options) {
  Fit refined = fit_refining(x, values, options), listed = fit_single(x, values, options);
  return listed.quality.smape < refined.quality.smape ? listed : refined;
}

/// What series of the same points share: most of an experiment are.
class SharedFits {
 public:
  const SingleFitter& fitter(const std::vector<double>& points, const FitOptions& options) {
    KeptFitter& kept = fitters_[options.negative_exponents ? 1 : 0];
    if (!kept.fitter || kept.points != points) {
      kept.points = points;
      kept.fitter.emplace(points, options);
    }
    return *kept.fitter;
  }
  Behaviour behaviour;

 private:
  struct KeptFitter {
    std::vector<double> points;
    std::optional<SingleFitter> fitter;
  };
  std::array<KeptFitter, 2> fitters_;  // without and with negative exponents
};

void fit_one(const SeriesSample& sample, Modeler modeler, const FitOptions& options, SharedFits& shared, Model& model) {
  const std::vector<double> x = column(sample.points, 0);
  if (modeler == Modeler::refining) return take(fit_refining_or_better(x, sample.values, options), model);
  if (modeler == Modeler::basic || x.size() < kLeastPoints)
    return take(shared.fitter(x, options).fit(sample.values), model);
  SegmentedFit fit = fit_segmented(x, sample.values, options);
  for (Fit& part : fit.parts) model.parts.push_back(std::move(part.model));
  model.change_points = std::move(fit.change_points);
  model.quality = fit.quality;
}

void fit_several(const SeriesSample& sample, const FitOptions& options, Model& model) {
  MultiFit fit = fit_multi(sample.points, sample.values, {.single = options});
  if (fit.ambiguous)
    model.warnings.emplace_back(
        "the points do not tell sums from products of the parameters: measure some where several change at once");
  take(std::move(fit.fit), model);
}

void fit(const SeriesSample& sample, size_t parameters, const ModelOptions& options, SharedFits& shared, Model& model) {
  model.parts.clear();
  const FitOptions single{.negative_exponents = model.negative};
  if (parameters == 1) fit_one(sample, options.modeler, single, shared, model);
  else fit_several(sample, single, model);
}

/// The range over which a model will be used, along the first parameter; the others at their largest.
ParameterRange range_of(const Model& model, const ModelOptions& options) {
  ParameterRange range{.at = model.points.front(), .parameter = 0, .from = model.points.front()[0], .to = 0};
  for (const auto& point : model.points) {
    for (size_t p = 0; p < point.size(); ++p) range.at[p] = std::max(range.at[p], point[p]);
    range.from = std::min(range.from, point[0]);
  }
  range.to = std::max(range.at[0], options.extrapolate_to.value_or(kReach * range.at[0]));
  return range;
}

void warn_of_oddities(const std::vector<std::string>& parameters, const ModelOptions& options, const std::string& which,
                      SharedFits& shared, Model& model) {
  const ParameterRange range = range_of(model, options);
  for (const Misbehaviour& m : shared.behaviour.oddities(model.last(), range))
    model.warnings.push_back(which + text(m, parameters[0]));
}

std::string joined(const std::vector<size_t>& which, const std::vector<std::string>& names) {
  std::string out;
  for (const size_t i : which) out += (out.empty() ? "" : ", ") + names[i];
  return out;
}

/// Where values fall the default exponents cannot say so: the model with negative ones, and what the other would do.
void warn_of_default(const SeriesSample& sample, const Experiment& e, const ModelOptions& options,
                     const std::vector<size_t>& falling, SharedFits& shared, Model& model) {
  Model plain = model;
  plain.negative = false;
  plain.warnings.clear();
  fit(sample, e.parameters.size(), options, shared, plain);
  model.warnings.push_back(fmt::format("values fall with {}: exponents below zero are tried (strong scaling)",
                                       joined(falling, e.parameters)));
  warn_of_oddities(
      e.parameters, options,
      fmt::format("without them {} (SMAPE {:.1f} %): ", text(plain.last(), e.parameters, 4), plain.quality->smape),
      shared, plain);
  model.warnings.insert(model.warnings.end(), plain.warnings.begin(), plain.warnings.end());
}

Model model_of(const Experiment& e, const MeasurementSeries& series, SeriesSample sample, const ModelOptions& options,
               SharedFits& shared) {
  Model model;
  model.callpath = series.callpath;
  model.metric = series.metric;
  model.category = series.category;
  model.phase = series.phase;
  std::vector<size_t> falling;
  if (is_time(series.metric)) falling = falling_parameters(sample, e.parameters.size());
  model.negative = options.negative.value_or(!falling.empty());
  fit(sample, e.parameters.size(), options, shared, model);
  if (sample.points.size() < kLeastPoints)
    model.warnings.push_back(
        fmt::format("only {} points: a model wants {} or more for each parameter", sample.points.size(), kLeastPoints));
  model.variation = sample.variation;
  const bool has_default = model.negative && !options.negative;
  model.points = has_default ? sample.points : std::move(sample.points);  // the other model is fitted to them
  model.values = has_default ? sample.values : std::move(sample.values);
  model.held = std::move(sample.held);
  model.held_values = std::move(sample.held_values);
  if (has_default) warn_of_default(sample, e, options, falling, shared, model);
  warn_of_oddities(e.parameters, options, "", shared, model);
  return model;
}

}  // namespace

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

bool is_time(std::string_view metric) {
  const std::string lower = dsl::lower_case(std::string(metric));
  return lower.find("time") != std::string::npos || lower.find("second") != std::string::npos || lower.ends_with("_s");
}

bool may_be_time(std::string_view metric) { return metric.empty() || metric == "<default>" || is_time(metric); }

double Model::at(std::span<const double> x) const {
  const bool first = parts.size() > 1 && x[0] <= change_points.front();
  return (first ? parts.front() : parts.back()).at(x);
}

Models fit_models(const Experiment& experiment, const ModelOptions& options) {
  Models out{.parameters = experiment.parameters, .rare = experiment.rare};
  SharedFits shared;
  for (const MeasurementSeries& series : experiment.series) {
    SeriesSample sample = sample_of(experiment, series, options);
    if (sample.points.size() < kFewestPoints)
      out.refused.push_back(fmt::format("{} {}: {} points, and a model needs {}", series.callpath, series.metric,
                                        sample.points.size(), kFewestPoints));
    else out.models.push_back(model_of(experiment, series, std::move(sample), options, shared));
  }
  return out;
}

}  // namespace planner::scaling
