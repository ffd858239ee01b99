#include "cli/commands/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands/common.h"
#include "cli/pages/scale_picture.h"
#include "planner/scaling/given.h"
#include "planner/scaling/read/measurements.h"

namespace cli {
namespace {

using planner::scaling::Experiment;
using planner::scaling::Model;
using planner::scaling::Models;

bool selected(const Options& options, const std::string& callpath, const std::string& metric) {
  return (options.callpath.empty() || callpath == options.callpath) &&
         (options.metric.empty() || metric == options.metric);
}

/// The texts that may hold given models; measurements have readers of their own.
bool may_be_given(const std::string& path) {
  return path == "-" || path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

/// What the command works on: models that are given, or an experiment.
struct Input {
  std::optional<Models> given;
  std::optional<Experiment> measured;
};

Input read_one(const std::string& path, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, size_t{1} << 30);
  if (!source) return {};
  if (planner::scaling::holds_models(*source))
    return {planner::scaling::read_models(*source, session.diagnostics), std::nullopt};
  if (path != "-")
    return {std::nullopt, planner::scaling::read_measurements({path}, session.sources, session.diagnostics)};
  return {std::nullopt,
          planner::scaling::read_measurements_text(source->name, source->text, session.sources, session.diagnostics)};
}

Input read(const Options& options, Streams& streams, Session& session) {
  if (options.inputs.size() == 1 && may_be_given(options.inputs[0]))
    return read_one(options.inputs[0], streams, session);
  return {std::nullopt, planner::scaling::read_measurements(options.inputs, session.sources, session.diagnostics)};
}

std::optional<Models> models_of(const Options& options, Experiment e, Session& session) {
  if (!options.epoch.empty()) {
    const auto epoch = epoch_options(options, session.sources, session.diagnostics);
    if (!epoch) return std::nullopt;
    auto whole = planner::scaling::per_epoch(e, *epoch, session.diagnostics);
    if (!whole) return std::nullopt;
    e = std::move(*whole);
  }
  planner::scaling::add_total(e);
  std::erase_if(e.series, [&](const auto& s) { return !selected(options, s.callpath, s.metric); });
  return planner::scaling::fit_models(e, model_options(options));
}

bool is_cost(const std::string& metric) { return metric == "cost" || metric == "core_hours"; }

std::vector<Analysed> analyses(const Options& options, const Models& models,
                               const planner::scaling::AnalysisOptions& how) {
  std::vector<Analysed> out;
  for (size_t i = 0; i < models.models.size(); ++i) {
    const Model& model = models.models[i];
    const bool asked = !options.metric.empty() && !is_cost(model.metric);
    if ((!asked && !planner::scaling::may_be_time(model.metric)) || (model.points.empty() && how.at.empty())) continue;
    const auto cost = std::ranges::find_if(
        models.models, [&](const Model& m) { return m.callpath == model.callpath && is_cost(m.metric); });
    const bool given = cost != models.models.end();
    out.push_back({i, planner::scaling::analyse(model, how, given ? &*cost : nullptr), given});
  }
  return out;
}

/// Steps of what was measured: those of --epoch, or one.
std::function<double(double)> steps_of(const Options& options, const Models& models, Session& session) {
  if (options.epoch.empty()) return {};
  const auto epoch = epoch_options(options, session.sources, session.diagnostics);
  if (!epoch) return {};
  return [epoch = *epoch, parameters = models.parameters](double x) {
    dsl::Diagnostics told;  // the same expressions had values at the measured points
    const auto steps = planner::scaling::steps_at(epoch, parameters, std::vector{x}, told);
    return steps ? steps->training : 0;
  };
}

std::vector<planner::scaling::AgainstPoint> beside_planner(const Options& options, const Scaled& scaled,
                                                           Streams& streams, Session& session) {
  if (scaled.analysed.size() != 1 || scaled.models.parameters.size() != 1) {
    session.diagnostics.error({}, "--against compares one model of a time over one parameter",
                              "--callpath and --metric pick it");
    return {};
  }
  open_catalog(session, options);
  const dsl::Source* scenario = read_input(options.against, streams, session);
  if (!scenario || session.diagnostics.has_errors()) return {};
  planner::scaling::AgainstOptions how{.path = options.vary.empty() ? "cluster.gpus" : options.vary,
                                       .overrides = set_overrides(options),
                                       .at = options.at,
                                       .steps = steps_of(options, scaled.models, session)};
  auto points = planner::scaling::against(scaled.models.models[scaled.analysed[0].model], how, *scenario,
                                          session.catalog, session.sources, session.diagnostics);
  return points ? std::move(*points) : std::vector<planner::scaling::AgainstPoint>{};
}

/// What any of the models wants; they were measured at the same points, and most want the same.
std::vector<planner::scaling::Advice> advice(const Options& options, const Models& models) {
  std::vector<planner::scaling::Advice> out;
  for (const Model& model : models.models)
    for (planner::scaling::Advice& a : planner::scaling::advise(model, models.parameters, options.reach)) {
      const bool there = std::ranges::any_of(out, [&](const auto& b) { return a.point == b.point; });
      if (!there) out.push_back(std::move(a));
    }
  return out;
}

std::string title_of(const Options& options) {
  if (options.inputs[0] == "-") return "standard input";
  return options.inputs.size() == 1 ? options.inputs[0]
                                    : fmt::format("{} and {} more", options.inputs[0], options.inputs.size() - 1);
}

/// Status 3: a budget or a time limit that no configuration of any model meets.
bool goal_missed(const Options& options, const std::vector<Analysed>& analysed) {
  if (options.budget.empty() && options.time_limit.empty()) return false;
  return std::ranges::none_of(analysed, [](const Analysed& a) { return a.analysis.choice.best.has_value(); });
}

}  // namespace

int run_scale(const Options& options, Streams& streams) {
  Session session;
  const auto start = std::chrono::steady_clock::now();
  Input input = read(options, streams, session);
  std::optional<Models> models = std::move(input.given);
  if (models)
    std::erase_if(models->models, [&](const Model& m) {
      return !selected(options, m.callpath, m.metric) && !(is_cost(m.metric) && m.callpath == options.callpath);
    });
  if (input.measured) models = models_of(options, std::move(*input.measured), session);
  if (models && models->models.empty() && models->refused.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, "no series has this call path and metric",
                              "without --callpath and --metric all are shown");
  Scaled scaled;
  std::optional<planner::scaling::AnalysisOptions> how;
  if (models && !session.diagnostics.has_errors())
    how = analysis_options(options, models->parameters, session.sources, session.diagnostics);
  if (how) {
    scaled.models = std::move(*models);
    scaled.analysed = analyses(options, scaled.models, *how);
    if (options.advise) scaled.advice = advice(options, scaled.models);
    if (!options.against.empty()) scaled.against = beside_planner(options, scaled, streams, session);
  }
  if (const int status = report_diagnostics(options, streams, session)) return status;
  if (options.timing)
    streams.err << fmt::format(
        "timing: {} models {:.3f} ms\n", scaled.models.models.size(),
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  Report report = scale_report(title_of(options), scaled);
  if (options.format == "svg") report.picture = scale_picture(title_of(options), scaled, *how);
  if (const int status = print(std::move(report), options, streams, "scale")) return status;
  return scaled.models.models.empty() || goal_missed(options, scaled.analysed) ? kNotFeasible : kDone;
}

}  // namespace cli
