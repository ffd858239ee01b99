#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/scale_flags.h"
#include "cli/pages/scale_report.h"
#include "dsl/read_text.h"
#include "planner/scaling/advice.h"
#include "planner/scaling/given.h"
#include "planner/scaling/read/measurements.h"
#include "planner/studies/against/against.h"

namespace cli {
namespace {

using planner::scaling::Experiment;
using planner::scaling::Model;
using planner::scaling::Models;
using planner::scaling::SamplingSaving;

constexpr std::array kScaleRows{
    flag<&ScaleFlags::callpath>({"--callpath", "NAME", "only the series of this call path"}),
    flag<&ScaleFlags::metric>({"--metric", "NAME", "only the series of this metric"}),
    flag<&ScaleFlags::modeler>(
        {"--modeler", "basic|refining|segmented", "how series of one parameter are fitted (basic)", Takes::word}),
    flag<&ScaleFlags::measure>({"--measure", "mean|median",
                                "how repetitions of a point are combined (mean; for profiles median)", Takes::word}),
    flag<&ScaleFlags::exponents>({"--exponents", "default|negative",
                                  "whether exponents below zero are tried (where a time falls with a parameter)",
                                  Takes::word}),
    flag<&ScaleFlags::epoch>(
        {"--epoch", "KEY=EXPR",
         "from steps to epochs: training, validation (samples), batch, ranks, model_parallel; repeatable"}),
    flag<&ScaleFlags::evaluate_from>(
        {"--evaluate-from", "X", "points from here on are not fitted but predicted, with their errors"}),
    flag<&ScaleFlags::at>({"--at", "X,Y", "values of the first parameter to look at (the measured points)"}),
    flag<&ScaleFlags::reach>(
        {"--reach", "X", "largest value of the first parameter that is considered (16 x the largest point)"}),
    flag<&ScaleFlags::scaling>(
        {"--scaling", "weak|strong", "whether the work grows with the ranks (strong where times fall)", Takes::word}),
    flag<&ScaleFlags::cores>({"--cores", "N", "CPU cores of a rank (1)"}),
    flag<&ScaleFlags::gpus>({"--gpus", "N", "GPUs of a rank (1)"}),
    flag<&ScaleFlags::price>(
        {"--price", "EXPR",
         "cost of a configuration, over seconds, core_hours, gpu_hours and the parameters (core_hours)"}),
    flag<&ScaleFlags::budget>({"--budget", "EXPR", "the most that a configuration may cost"}),
    flag<&ScaleFlags::time_limit>({"--time-limit", "EXPR", "the longest that it may take, as in '40 s'"}),
    flag<&ScaleFlags::advise>({"--plan", "", "which points to measure next"}),
    flag<&ScaleFlags::ratios>(
        {"--ratios", "", "fit speed-up and efficiency to the points for any number of models (up to three)"}),
    flag<&ScaleFlags::against>(
        {"--against", "SCENARIO", "compare the planner's step with the model, at each value of the parameter"}),
    flag<&ScaleFlags::vary>({"--vary", "PATH", "with --against, the field that is the parameter (cluster.gpus)"}),
};
constexpr auto kScaleFlags = data_flags(kScaleRows);

bool selected(const ScaleFlags& options, const std::string& callpath, const std::string& metric) {
  return (options.callpath.empty() || callpath == options.callpath) &&
         (options.metric.empty() || metric == options.metric);
}

/// The texts that may hold given models; measurements have readers of their own.
bool may_be_given(const std::string& path) {
  return path == "-" || path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

/// What the command works on: models that are given, or an experiment.
struct ScaleInput {
  std::optional<Models> given;
  std::optional<Experiment> measured;
};

ScaleInput read_one(const std::string& path, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, planner::scaling::kMostMeasurementBytes);
  if (!source) return {};
  if (planner::scaling::holds_models(*source))
    return {planner::scaling::read_models(*source, session.diagnostics), std::nullopt};
  // A file may be read again; what came through a pipe has gone.
  if (dsl::is_text_file(path))
    return {std::nullopt, planner::scaling::read_measurements({path}, session.sources, session.diagnostics)};
  return {std::nullopt,
          planner::scaling::read_measurements_text(source->name, source->text, session.sources, session.diagnostics)};
}

ScaleInput read(const ScaleFlags& options, Streams& streams, Session& session) {
  if (options.common.inputs.size() == 1 && may_be_given(options.common.inputs[0]))
    return read_one(options.common.inputs[0], streams, session);
  return {std::nullopt,
          planner::scaling::read_measurements(options.common.inputs, session.sources, session.diagnostics)};
}

std::optional<Models> models_of(const ScaleFlags& options, Experiment e, std::vector<SamplingSaving>& sampling,
                                Session& session) {
  if (!options.epoch.empty()) {
    const auto epoch = epoch_options(options, session.sources, session.diagnostics);
    if (!epoch) return std::nullopt;
    auto whole = planner::scaling::per_epoch(e, *epoch, session.diagnostics);
    if (!whole) return std::nullopt;
    e = std::move(*whole);
    sampling = planner::scaling::sampling_savings(e);
  }
  planner::scaling::add_total(e);
  std::erase_if(e.series, [&](const auto& s) { return !selected(options, s.callpath, s.metric); });
  return planner::scaling::fit_models(e, model_options(options));
}

bool is_cost(const std::string& metric) { return metric == "cost" || metric == "core_hours"; }

/// Speed-up and efficiency fitted to the points' own, for all models at once: the search is then shared. It takes three
/// times as long as the models themselves, whose page shows nothing of it where there are many.
void add_ratios(const ScaleFlags& options, const Models& models, const planner::scaling::AnalysisOptions& how,
                std::vector<Analysed>& analysed) {
  std::vector<planner::scaling::RatioSubject> subjects;
  for (const Analysed& a : analysed) subjects.push_back({&models.models[a.model], &a.analysis});
  std::vector<planner::scaling::Ratios> ratios =
      planner::scaling::fit_ratios(subjects, models.parameters, how, model_options(options));
  for (size_t i = 0; i < analysed.size(); ++i) analysed[i].ratios = std::move(ratios[i]);
}

std::vector<Analysed> analyses(const ScaleFlags& options, const Models& models,
                               const planner::scaling::AnalysisOptions& how) {
  std::vector<Analysed> out;
  planner::scaling::Analyser analyser(how);
  std::map<std::string_view, const Model*> costs;  // the first of a call path
  for (const Model& model : models.models)
    if (is_cost(model.metric)) costs.emplace(model.callpath, &model);
  for (size_t i = 0; i < models.models.size(); ++i) {
    const Model& model = models.models[i];
    const bool asked = !options.metric.empty() && !is_cost(model.metric);
    if ((!asked && !planner::scaling::may_be_time(model.metric)) || (model.points.empty() && how.at.empty())) continue;
    const auto cost = costs.find(model.callpath);
    const bool given = cost != costs.end();
    out.push_back({i, analyser.analyse(model, given ? cost->second : nullptr), given});
  }
  if (options.ratios || out.size() <= kMostPages) add_ratios(options, models, how, out);
  return out;
}

/// Steps of the measured time: those of --epoch, or one.
std::function<double(double)> steps_of(const ScaleFlags& options, const Models& models, Session& session) {
  if (options.epoch.empty()) return {};
  const auto epoch = epoch_options(options, session.sources, session.diagnostics);
  if (!epoch) return {};
  return [epoch = *epoch, parameters = models.parameters](double x) {
    dsl::Diagnostics told;  // the same expressions had values at the measured points
    const auto steps = planner::scaling::steps_at(epoch, parameters, std::vector{x}, told);
    return steps ? steps->training : 0;
  };
}

std::vector<planner::scaling::AgainstPoint> beside_planner(const ScaleFlags& options, const Scaled& scaled,
                                                           Streams& streams, Session& session) {
  if (scaled.analysed.size() != 1 || scaled.models.parameters.size() != 1) {
    session.diagnostics.error({}, "--against compares one model of a time over one parameter",
                              "--callpath and --metric pick it");
    return {};
  }
  open_catalog(session, options.common.catalog);
  const dsl::Source* scenario = read_input(options.against, streams, session);
  if (!scenario || session.diagnostics.has_errors()) return {};
  planner::scaling::AgainstOptions how{.path = options.vary.empty() ? "cluster.gpus" : options.vary,
                                       .overrides = set_overrides(options.scenario),
                                       .at = options.at,
                                       .steps = steps_of(options, scaled.models, session)};
  auto points = planner::scaling::against(scaled.models.models[scaled.analysed[0].model], how, *scenario,
                                          session.catalog, session.sources, session.diagnostics);
  return points ? std::move(*points) : std::vector<planner::scaling::AgainstPoint>{};
}

/// What any of the models wants; they were measured at the same points, and most want the same.
std::vector<planner::scaling::Advice> advice(const ScaleFlags& options, const Models& models) {
  std::vector<planner::scaling::Advice> out;
  for (const Model& model : models.models)
    for (planner::scaling::Advice& a : planner::scaling::advise(model, models.parameters, options.reach)) {
      const bool there = std::ranges::any_of(out, [&](const auto& b) { return a.point == b.point; });
      if (!there) out.push_back(std::move(a));
    }
  return out;
}

std::string title_of(const ScaleFlags& options) {
  if (options.common.inputs[0] == "-") return "standard input";
  return options.common.inputs.size() == 1
             ? options.common.inputs[0]
             : fmt::format("{} and {} more", options.common.inputs[0], options.common.inputs.size() - 1);
}

/// Status 3: a budget or a time limit that no configuration of any model meets.
bool goal_missed(const ScaleFlags& options, const std::vector<Analysed>& analysed) {
  if (options.budget.empty() && options.time_limit.empty()) return false;
  return std::ranges::none_of(analysed, [](const Analysed& a) { return a.analysis.choice.best.has_value(); });
}

int run_scale(const ScaleFlags& options, Streams& streams) {
  Session session;
  Stopwatch watch(options.common.timing, streams.err);
  ScaleInput input = read(options, streams, session);
  std::optional<Models> models = std::move(input.given);
  if (models)
    std::erase_if(models->models, [&](const Model& m) {
      return !selected(options, m.callpath, m.metric) && !(is_cost(m.metric) && m.callpath == options.callpath);
    });
  Scaled scaled;
  if (input.measured) models = models_of(options, std::move(*input.measured), scaled.sampling, session);
  if (models && models->models.empty() && models->refused.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, "no series has this call path and metric",
                              "without --callpath and --metric all are shown");
  std::optional<planner::scaling::AnalysisOptions> how;
  if (models && !session.diagnostics.has_errors())
    how = analysis_options(options, models->parameters, session.sources, session.diagnostics);
  if (how) {
    scaled.models = std::move(*models);
    scaled.analysed = analyses(options, scaled.models, *how);
    if (options.advise) scaled.advice = advice(options, scaled.models);
    if (!options.against.empty()) scaled.against = beside_planner(options, scaled, streams, session);
  }
  if (const int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark(fmt::format("{} models", scaled.models.models.size()));
  Report report = scale_report(title_of(options), scaled);
  report.picture = [&] { return scale_picture(title_of(options), scaled, *how); };
  if (const int status = print(std::move(report), options.common, streams, "scale")) return status;
  return scaled.models.models.empty() || goal_missed(options, scaled.analysed) ? kNotFeasible : kDone;
}

constexpr Example kScaleExamples[] = {
    {"a scaling model of measured runs", "trainplan scale example:cifar10-resnet50.csv"},
    {"what to buy for a time limit and a budget",
     "trainplan scale example:strong-scaling --time-limit '40 s' --budget 2.8 --cores 8"},
};

}  // namespace

Command scale_command() {
  return command_of<kScaleFlags, run_scale>(
      {.name = "scale",
       .summary = "fit scaling models to a few measured runs: speed-up, efficiency, cost, what to buy",
       .argument = "DATA...",
       .examples = kScaleExamples,
       .pictures = true});
}

}  // namespace cli
