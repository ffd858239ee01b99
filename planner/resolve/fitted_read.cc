#include "planner/resolve/fitted_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "dsl/read_text.h"
#include "operator_models/features.h"
#include "planner/plan/fitted_step.h"
#include "planner/scaling/epoch_steps.h"
#include "planner/scaling/given.h"
#include "planner/scaling/read/measurements.h"
#include "planner/scenario/fitted_name.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using operator_models::FittedModel;
using operator_models::FittedParameter;
using FileModel = scaling::Model;
using scaling::Models;

using Strings = std::vector<std::string>;

/// One name under `operator_models`, and its mistake.
struct AskedModel {
  const std::string& kind;
  const dsl::Span& where;
  dsl::Diagnostics& diagnostics;
  std::nullopt_t told(const std::string& message, const std::string& hint = {}) const {
    diagnostics.error(where, message, hint);
    return std::nullopt;
  }
};

// What `scale` itself takes for given models.
bool may_be_given(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

std::optional<Models> models_of(const std::string& path, dsl::Sources& sources, dsl::Diagnostics& told) {
  std::string why;
  std::error_code error;
  // Nothing that a reader could wait for, or that never ends; a folder may hold profiles.
  if (!dsl::is_text_file(path) && !std::filesystem::is_directory(path, error))
    return told.error({}, fmt::format("no file '{}'", path)), std::nullopt;
  if (may_be_given(path)) {
    const dsl::Source* source = dsl::open_file(path, "", "", sources, why);
    if (!source) return told.error({}, why), std::nullopt;
    if (scaling::holds_models(*source)) return scaling::read_models(*source, told);
  }
  auto measured = scaling::read_measurements({path}, sources, told);
  if (!measured) return std::nullopt;
  scaling::add_total(*measured);  // as `scale` shows it
  return scaling::fit_models(*measured);
}

/// Mistakes without a place in the file are reported where the file is named.
std::optional<Models> read_file(const std::string& path, const AskedModel& place, dsl::Sources& sources) {
  dsl::Diagnostics told;
  std::optional<Models> models = models_of(path, sources, told);
  for (dsl::Diagnostic& d : told.list) {
    if (!d.span.source) d.span = place.where;
    place.diagnostics.list.push_back(std::move(d));
  }
  return models;
}

Strings call_paths(const std::vector<const FileModel*>& models) {
  Strings names;
  for (const FileModel* model : models) names.push_back(model->callpath);
  return names;
}

/// "milliseconds" of "time_ms"; empty: seconds, as far as the name shows.
std::string other_unit(const std::string& metric) {
  constexpr std::pair<const char*, const char*> kUnits[] = {
      {"ms", "milliseconds"}, {"us", "microseconds"}, {"ns", "nanoseconds"}, {"min", "minutes"}, {"hours", "hours"}};
  for (const auto& [ending, unit] : kUnits)
    for (const char* before : {"_", " ", "[", "("})
      if (std::string tail = before + std::string(ending);
          metric.ends_with(tail) || metric.ends_with(tail + "]") || metric.ends_with(tail + ")"))
        return unit;
  return "";
}

/// A rate is not a time, though its name ends in seconds.
bool is_rate(const std::string& metric) {
  return metric.ends_with("per_s") || metric.ends_with("/s") || metric.ends_with("per second") ||
         metric.ends_with("per_second");
}

/// The model of a time that the name asks for.
const FileModel* pick(const FittedName& name, const Models& models, const AskedModel& place) {
  std::vector<const FileModel*> times, asked;
  for (const FileModel& model : models.models) {
    if (name.callpath && model.callpath != *name.callpath) continue;
    asked.push_back(&model);
    if (scaling::may_be_time(model.metric) && !is_rate(model.metric)) times.push_back(&model);
  }
  if (times.size() == 1) {
    const std::string unit = other_unit(times[0]->metric);
    if (unit.empty()) return times[0];
    place.told(fmt::format("the metric '{}' of '{}' is in {}", times[0]->metric, name.file, unit),
               "a model in a scenario gives seconds: convert the measurements, or write its formula in seconds");
    return nullptr;
  }
  std::vector<const FileModel*> all;
  for (const FileModel& model : models.models) all.push_back(&model);
  if (all.empty())
    place.told(fmt::format("'{}' has no model", name.file), models.refused.empty() ? "" : models.refused.front());
  else if (asked.empty())
    place.told(fmt::format("no model of '{}' has the call path '{}'; it has {}", name.file, *name.callpath,
                           fmt::join(call_paths(all), ", ")),
               dsl::did_you_mean(*name.callpath, call_paths(all)));
  else if (times.empty())
    place.told(fmt::format("the metric '{}' of '{}' is not a time", asked[0]->metric, name.file),
               "a model in a scenario gives seconds; its metric is called time, seconds or ends in _s");
  else if (name.callpath)
    place.told(fmt::format("'{}' has {} times of the call path '{}'", name.file, times.size(), *name.callpath),
               "this quantity has several metrics in the file: keep one of them");
  else
    place.told(
        fmt::format("'{}' has {} models of a time: {}", name.file, times.size(), fmt::join(call_paths(times), ", ")),
        fmt::format("name one: pmnf({}, CALLPATH)", name.file));
  return nullptr;
}

/// The features that a model of the kind may follow, and their rows.
struct FeatureNames {
  Strings names;
  size_t (*row)(std::string_view kind, std::string_view name);
};

FeatureNames features_of(const std::string& kind) {
  if (kind != kWholeStep) return {operator_models::feature_names(kind), operator_models::feature_row};
  return {step_feature_names(), [](std::string_view, std::string_view name) { return step_feature_row(name); }};
}

std::optional<FittedParameter> mapped(const std::string& parameter, const FittedName& name, const AskedModel& place) {
  const FeatureNames features = features_of(place.kind);
  const auto given = std::ranges::find(name.features, parameter, [](const auto& f) { return f.first; });
  const bool written = given != name.features.end();
  const std::string& feature = written ? given->second : parameter;
  const size_t row = features.row(place.kind, feature);
  if (row != std::string::npos) return FittedParameter{.name = parameter, .feature = feature, .row = row};
  const std::string known = fmt::format("{}", fmt::join(features.names, ", "));
  if (written)
    return place.told(fmt::format("{} has no feature '{}'; it has {}", place.kind, feature, known),
                      dsl::did_you_mean(feature, features.names));
  const std::vector<std::string> near = dsl::similar(parameter, features.names);
  return place.told(
      fmt::format("the model's parameter '{}' is no feature of {}, which has {}", parameter, place.kind, known),
      fmt::format("say what it is: {}={}", parameter, near.empty() ? features.names.front() : near.front()));
}

void measure(FittedParameter& parameter, size_t index, const FileModel& model) {
  if (model.points.empty()) return;
  parameter.least = parameter.most = model.points.front()[index];
  for (const std::vector<double>& point : model.points) {
    parameter.least = std::min(parameter.least, point[index]);
    parameter.most = std::max(parameter.most, point[index]);
  }
}

/// A mean absolute error of e is a standard error of e sqrt(pi / 2) where errors are normal.
double standard_error_of(const FileModel& model) {
  const double smape = model.quality ? model.quality->smape / 100 : model.smape.value_or(0);
  const double error = smape * std::sqrt(std::numbers::pi / 2);
  return std::isfinite(error) ? error : 0;
}

std::optional<FittedModel> bound(const FittedName& name, const Models& models, const FileModel& model,
                                 const AskedModel& place) {
  for (const auto& [parameter, feature] : name.features)
    if (std::ranges::find(models.parameters, parameter) == models.parameters.end())
      return place.told(
          fmt::format("the model has no parameter '{}'; it has {}", parameter, fmt::join(models.parameters, ", ")),
          dsl::did_you_mean(parameter, models.parameters));
  FittedModel out{.name = text(name),
                  .file = name.file,
                  .callpath = model.callpath,
                  .parameters = {},
                  .parts = model.parts,
                  .change_point = model.change_points.empty() ? 0 : model.change_points.front(),
                  .points = model.points,
                  .relative_error = standard_error_of(model)};
  for (size_t i = 0; i < models.parameters.size(); ++i) {
    std::optional<FittedParameter> parameter = mapped(models.parameters[i], name, place);
    if (!parameter) return std::nullopt;
    measure(*parameter, i, model);
    out.parameters.push_back(std::move(*parameter));
  }
  return out;
}

}  // namespace

void read_fitted(const std::string& kind, const std::string& written, const dsl::Span& where, FittedModels& models,
                 dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const AskedModel place{kind, where, diagnostics};
  if (models.contains(fitted_key(kind, written))) return;
  std::string why;
  const std::optional<FittedName> name = parse_fitted(written, why);
  if (!name)
    return void(place.told(why, written.ends_with(')')
                                    ? "such as pmnf(measured.csv) or pmnf(models.json, CALLPATH, p=ranks)"
                                    : "inside [...] and {...} of YAML a comma ends it: quote all of 'pmnf(...)'"));
  const std::optional<Models> all = read_file(name->file, place, sources);
  const FileModel* model = all ? pick(*name, *all, place) : nullptr;
  if (!model) return;
  std::optional<FittedModel> fitted = bound(*name, *all, *model, place);
  if (!fitted) return;
  fitted->name = written;
  models.emplace(fitted_key(kind, written), std::move(*fitted));
}

}  // namespace planner
