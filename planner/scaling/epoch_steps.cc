#include "planner/scaling/epoch_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/scaling/quality.h"

namespace planner::scaling {
namespace {

constexpr std::string_view kValidation = "validation->";

class EpochCounter {
 public:
  EpochCounter(const EpochOptions& options, std::span<const std::string> parameters, std::span<const double> x,
               dsl::Diagnostics& diagnostics)
      : options_(options), parameters_(parameters), x_(x), diagnostics_(diagnostics) {}

  std::optional<Steps> steps() {
    const auto batch = above_zero(options_.batch, "batch"), ranks = above_zero(options_.ranks, "ranks");
    const auto model =
        options_.model_parallel ? above_zero(*options_.model_parallel, "model-parallel degree") : std::optional(1.0);
    const auto training = value(options_.training_samples);
    const auto validation = options_.validation_samples ? value(*options_.validation_samples) : std::optional(0.0);
    if (!batch || !ranks || !model || !training || !validation) return std::nullopt;
    const double shards = *ranks / *model;
    return Steps{std::floor(*training / shards / *batch), std::floor(*validation / shards / *batch)};
  }

 private:
  std::optional<double> value(const dsl::Expression& e) {
    const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
      const auto at = std::ranges::find(parameters_, name);
      if (at == parameters_.end()) return std::nullopt;
      return dsl::Value{dsl::Number{x_[static_cast<size_t>(at - parameters_.begin())], dsl::kNone}};
    };
    const std::optional<dsl::Value> found =
        dsl::evaluate(*e.tree, resolve, diagnostics_, {parameters_.begin(), parameters_.end()});
    if (!found) return std::nullopt;
    const dsl::Number* number = std::get_if<dsl::Number>(&found->v);
    if (number && number->dim == dsl::kNone) return number->value;
    diagnostics_.error(e.span, "expected a plain number");
    return std::nullopt;
  }

  std::optional<double> above_zero(const dsl::Expression& e, const char* what) {
    const std::optional<double> x = value(e);
    if (!x || *x > 0) return x;
    diagnostics_.error(e.span, fmt::format("the {} is above zero, and this is {}", what, *x));
    return std::nullopt;
  }

  const EpochOptions& options_;
  std::span<const std::string> parameters_;
  std::span<const double> x_;
  dsl::Diagnostics& diagnostics_;
};

const MeasurementSeries* sibling(const Experiment& e, const MeasurementSeries& training) {
  const auto at = std::ranges::find_if(e.series, [&](const MeasurementSeries& s) {
    return s.phase == Phase::validation && s.metric == training.metric &&
           s.callpath == std::string(kValidation) + training.callpath;
  });
  return at == e.series.end() ? nullptr : &*at;
}

bool has_training(const Experiment& e, const MeasurementSeries& validation) {
  return std::ranges::any_of(
      e.series, [&](const MeasurementSeries& s) { return s.phase == Phase::training && sibling(e, s) == &validation; });
}

/// The sibling's value at a point, its repetitions as one; 0 where it has none.
double value_at(const MeasurementSeries* series, size_t point, Measure measure) {
  if (!series) return 0;
  const auto at = std::ranges::find(series->points, point);
  if (at == series->points.end()) return 0;
  return representative(series->values[static_cast<size_t>(at - series->points.begin())], measure);
}

MeasurementSeries extrapolated(const Experiment& e, const MeasurementSeries& series, const std::vector<Steps>& steps) {
  const Measure measure = e.median ? Measure::median : Measure::mean;
  const bool training = series.phase == Phase::training;
  const MeasurementSeries* validation = training ? sibling(e, series) : nullptr;
  MeasurementSeries out = series;
  for (size_t i = 0; i < out.points.size(); ++i) {
    const Steps& n = steps[out.points[i]];
    const double more = n.validation * value_at(validation, out.points[i], measure);
    for (double& value : out.values[i]) value = (training ? n.training : n.validation) * value + more;
  }
  return out;
}

/// The sum of one metric over the categories, at the points of the first of them; empty: there are none.
MeasurementSeries total(const Experiment& e, std::string_view prefix, const std::string& metric) {
  const Measure measure = e.median ? Measure::median : Measure::mean;
  MeasurementSeries out;
  for (const char* category : {"computation", "communication", "memory"})
    for (const MeasurementSeries& s : e.series) {
      if (s.metric != metric || s.callpath != fmt::format("{}application->{}", prefix, category)) continue;
      if (out.points.empty()) {
        out = s;
        out.category = KernelCategory::none;
        out.callpath = std::string(prefix) + "application";
        for (std::vector<double>& values : out.values) values = {representative(values, measure)};
        continue;
      }
      for (size_t i = 0; i < out.points.size(); ++i) out.values[i][0] += value_at(&s, out.points[i], measure);
    }
  return out;
}

}  // namespace

std::vector<SamplingSaving> sampling_savings(const Experiment& whole) {
  const auto step = std::ranges::find_if(whole.series, [](const MeasurementSeries& s) {
    return s.callpath == "step" && s.metric == "time" && s.phase == Phase::training;
  });
  std::vector<SamplingSaving> out;
  if (step == whole.series.end()) return out;
  for (size_t point = 0; point < whole.profiled.size(); ++point) {
    const ProfiledTime& profiled = whole.profiled[point];
    const double epoch_seconds = value_at(&*step, point, Measure::median);
    if (profiled.seconds <= 0 || epoch_seconds <= 0) continue;
    out.push_back({.point = whole.points[point],
                   .profiled_seconds = profiled.seconds,
                   .epoch_seconds = epoch_seconds,
                   .epochs = profiled.epochs,
                   .saved = 1 - profiled.seconds / (static_cast<double>(profiled.epochs) * epoch_seconds)});
  }
  return out;
}

void add_total(Experiment& e) {
  for (const std::string_view prefix : {std::string_view(), kValidation})
    for (const char* metric : {"time", "visits", "bytes"}) {
      MeasurementSeries sum = total(e, prefix, metric);
      if (!sum.points.empty()) e.series.push_back(std::move(sum));
    }
}

std::optional<Steps> steps_at(const EpochOptions& options, std::span<const std::string> parameters,
                              std::span<const double> x, dsl::Diagnostics& diagnostics) {
  return EpochCounter(options, parameters, x, diagnostics).steps();
}

std::optional<Experiment> per_epoch(const Experiment& experiment, const EpochOptions& options,
                                    dsl::Diagnostics& diagnostics) {
  std::vector<Steps> steps;
  for (const auto& point : experiment.points) {
    const std::optional<Steps> n = steps_at(options, experiment.parameters, point, diagnostics);
    if (!n) return std::nullopt;
    steps.push_back(*n);
  }
  Experiment out = experiment;
  out.series.clear();
  for (const MeasurementSeries& series : experiment.series)
    if (series.phase == Phase::training || !has_training(experiment, series))
      out.series.push_back(extrapolated(experiment, series, steps));
  return out;
}

}  // namespace planner::scaling
