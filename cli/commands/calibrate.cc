#include "cli/commands/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/flags.h"
#include "cli/commands/kit.h"
#include "cli/commands/machine.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/runs.h"
#include "cli/pages/calibrate_report.h"
#include "dsl/where.h"
#include "operator_models/calibrate/holdout.h"
#include "planner/replay/measured_operators.h"
#include "planner/trace/readers.h"

namespace cli {
namespace {

using operator_models::DataFile;
using operator_models::FitRow;
using operator_models::Machine;
using operator_models::MeasuredKind;
using operator_models::SampleSet;
using operator_models::Task;

constexpr std::array kCalibrateRows{
    flag<&CalibrateFlags::gpu>({"--gpu", "NAME", "catalogue name of the accelerator that was measured"}),
    flag<&CalibrateFlags::precision>({"--precision", "NAME", "precision of the data where no column says it (bf16)"}),
    flag<&CalibrateFlags::kernel>({"--kernel", "NAME", "attention: row of the calibration that the data is of"}),
    flag<&CalibrateFlags::model>({"--model", "NAME", "model to fit or to score; the first of the kind if not given"}),
    flag<&CalibrateFlags::score>({"--score", "NAME", "score a catalogue profile on the data, and fit nothing"}),
    flag<&CalibrateFlags::kit>(
        {"--kit", "DIR", "write the scripts that measure a machine to DIR, and do nothing else"}),
    flag<&CalibrateFlags::base>({"--base", "EXPR", "model baseline: the rows that the others are projected from"}),
    flag<&CalibrateFlags::within>({"--within", "EXPR", "errors count only the rows for which the expression holds"}),
    flag<&CalibrateFlags::fit>(
        {"--fit", "PATH", "steps: fit this parameter, and no other that is not named; repeatable"}),
    flag<&CalibrateFlags::write>(
        {"--write", "DIR", "steps, errors: what was fitted as files of a catalogue folder, for --catalog"}),
    flag<&CalibrateFlags::priors>(
        {"--priors", "DIR", "errors: the catalogue before any fit to steps, for fits without a family"}),
    by_flag<&CalibrateFlags::by>(),
    flag<&CalibrateFlags::where>({"--where", "EXPR", "only the rows for which the expression holds"}),
    flag<&CalibrateFlags::skip_broken>(
        {"--skip-broken", "", "of a trace, leave out what is broken, and report it instead"}),
    flag<&CalibrateFlags::cluster>(
        {"--cluster", "NAME", "catalogue name of the cluster, if the input does not name it"}),
};
constexpr auto kCalibrateFlags = data_flags(kCalibrateRows);

constexpr size_t kMostBytes = size_t{1} << 28;  // of one file

int refuse(Streams& streams, const std::string& message) {
  return refuse_usage("calibrate", message + "; usage: trainplan calibrate KIND DATA... [flags]", streams);
}

std::string kind_names() {
  std::string names;
  for (const MeasuredKind& kind : operator_models::calibration_kinds()) names += std::string(kind.name) + ", ";
  return names + "steps, errors";
}

/// The rows for which an expression of the command line holds.
std::vector<size_t> selected(const char* flag, const std::string& text, const dsl::CsvTable& table, Session& session) {
  const dsl::Source& source = session.sources.emplace_back(dsl::Source{flag, text, ""});
  return dsl::select_rows(table, source, session.diagnostics);
}

const dsl::Source* read_data(const std::string& path, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, kMostBytes);
  if (!source || source->text.size() <= kMostBytes) return source;
  session.diagnostics.error({source, 1, 1, 0}, "the file is larger than 256 MiB", "calibrate from a part of it");
  return nullptr;
}

std::optional<DataFile> open_data(const dsl::Source* source, const MeasuredKind& kind, const CalibrateFlags& options,
                                  Session& session) {
  DataFile file{.source = source, .table = {}, .rows = {}, .counted = {}};
  if (!source) return std::nullopt;
  file.table = (kind.table ? kind.table : dsl::read_csv)(*file.source, session.diagnostics);
  if (session.diagnostics.has_errors()) return std::nullopt;
  file.rows = selected("--where", options.where, file.table, session);
  file.counted.assign(file.table.rows.size(), 0);
  for (size_t row : selected("--within", options.within, file.table, session)) file.counted[row] = 1;
  return file;
}

std::optional<Task> task_of(const CalibrateFlags& options, Session& session) {
  Task task{.precision = hw_profiles::Precision::bf16, .kernel = options.kernel};
  if (options.precision.empty()) return task;
  const auto names = hw_profiles::words(task.precision);
  const auto at = std::ranges::find(names, options.precision);
  if (at != names.end()) {
    task.precision = static_cast<hw_profiles::Precision>(at - names.begin());
    return task;
  }
  session.diagnostics.error({}, fmt::format("unknown precision '{}'", options.precision),
                            fmt::format("expected one of {}", fmt::join(names, ", ")));
  return std::nullopt;
}

/// --base: the samples of the rows that the expression selects. Their errors do not count: they are what the others are
/// projected from.
void mark_base(const DataFile& file, const CalibrateFlags& options, SampleSet& set, size_t first, Session& session) {
  if (options.base.empty()) return;
  std::set<int> lines;
  for (size_t row : selected("--base", options.base, file.table, session))
    if (!file.table.rows[row].empty()) lines.insert(file.table.rows[row][0].span.line);
  for (size_t i = first; i < set.samples.size(); ++i)
    if (lines.contains(set.samples[i].place.line)) set.samples[i].base = true, set.samples[i].counted = false;
}

/// Returns the traces of a run, a file a rank, as the table of a kind of measurements; null: they cannot be read, or
/// have no rows of the kind (diagnosed).
const dsl::Source* table_of_traces(const std::vector<std::string>& paths, std::string_view kind,
                                   const operator_models::Machine& machine, bool skip_broken, Streams& streams,
                                   Session& session) {
  ReplayFiles files = read_replay_files(paths, skip_broken, streams, session);
  if (session.diagnostics.has_errors()) return nullptr;
  if (!files.executions.empty())
    return session.diagnostics.error(
               {}, fmt::format("'{}' is an execution trace: it has no times of kernels", files.executions.front().file),
               "expected a trace of Kineto or a profile of Nsight Systems"),
           nullptr;
  const auto trace = planner::trace::order_ranks(std::move(files.ranks), session.diagnostics);
  if (!trace) return nullptr;
  planner::replay::CalibrationTable table = planner::replay::calibration_table(kind, *trace, machine);
  if (table.text.empty())
    return session.diagnostics.error({}, fmt::format("traces have no rows of kind '{}'", kind),
                                     "expected gemm, attention, vector or collective"),
           nullptr;
  for (const std::string& note : table.notes) session.diagnostics.warning({}, note);
  return &session.sources.emplace_back(
      dsl::Source{fmt::format("{}", fmt::join(paths, " ")), std::move(table.text), ""});
}

/// All samples of all files; errors of every row in one run.
SampleSet read_samples(const MeasuredKind& kind, const Task& task, const Machine& machine,
                       const CalibrateFlags& options, Streams& streams, Session& session) {
  SampleSet set;
  const auto add = [&](const dsl::Source* source) {
    const auto file = open_data(source, kind, options, session);
    if (!file) return;
    const size_t first = set.samples.size();
    kind.read({*file, task, machine, set, session.diagnostics});
    mark_base(*file, options, set, first, session);
  };
  std::vector<std::string> traces;
  for (size_t i = 1; i < options.common.inputs.size(); ++i)
    // A kind with a format of its own is what the user says; a log may begin as JSON does.
    if (const std::string& path = options.common.inputs[i]; !kind.table && is_trace(path)) traces.push_back(path);
    else add(read_data(path, streams, session));
  if (!traces.empty()) add(table_of_traces(traces, kind.name, machine, options.skip_broken, streams, session));
  if (set.samples.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, fmt::format("no row holds a measurement of kind '{}'", kind.name),
                              options.where.empty() ? "" : "--where selects the rows");
  return set;
}

const FitRow* fit_of(const MeasuredKind& kind, const std::string& model, Session& session) {
  if (model.empty()) return kind.fits.data();
  std::vector<std::string> names;
  for (const FitRow& fit : kind.fits) {
    if (model == fit.model) return &fit;
    names.emplace_back(fit.model);
  }
  const std::string hint = dsl::did_you_mean(model, names);
  session.diagnostics.error({}, fmt::format("no model '{}' is fitted to {} data", model, kind.name),
                            hint.empty() ? fmt::format("expected one of {}", fmt::join(names, ", ")) : hint);
  return nullptr;
}

ProfileScore score_samples(const SampleSet& set, const Machine& machine, const MeasuredKind& kind, const FitRow& fit,
                           const CalibrateFlags& options) {
  const operator_models::Device device = device_of(machine, machine.calibration);
  return {.profile = options.score,
          .kind = kind.name,
          .model = fit.model,
          .skipped = set.passed_over,
          .errors = operator_models::errors_of(log_ratios(set, device, choice_of(fit))),
          .groups = errors_by_group(set, device, choice_of(fit))};
}

std::optional<Calibrated> calibrate(const SampleSet& set, const Machine& machine, const FitRow& fit,
                                    const CalibrateFlags& options, Session& session) {
  if (static_cast<int64_t>(set.samples.size()) < fit.parameters) {
    session.diagnostics.error(set.samples.front().place,
                              fmt::format("{} rows are too few for the {} numbers of model '{}'", set.samples.size(),
                                          fit.parameters, fit.model),
                              "measure more sizes, or take a model with fewer");
    return std::nullopt;
  }
  Calibrated out{.set = &set,
                 .machine = &machine,
                 .fit = &fit,
                 .files = file_names(options.common.inputs),
                 .fitted = {},
                 .errors = {},
                 .holdout = {}};
  out.fitted = fitted_to(set, machine, fit);
  out.errors = operator_models::errors_of(log_ratios(set, device_of(machine, out.fitted.calibration), choice_of(fit)));
  out.holdout = options.base.empty() ? cross_validate(fit, set, machine) : projected(fit, set, machine, out.fitted);
  constexpr double kPoorFit = 0.35;  // the worst shipped fit is off by a third
  if (out.errors.residual > kPoorFit)
    out.fitted.warnings.push_back(
        fmt::format("the fit is off by {:.0f} % on its own rows: they may be of several machines or of a busy one, or "
                    "need another model; `--format json` has the error of each group",
                    100 * *out.errors.residual));
  return out;
}

int run_kit(const CalibrateFlags& options, Streams& streams) {
  if (!options.common.inputs.empty()) return refuse(streams, "--kit takes no data");
  Session session;
  write_kit(options.kit, streams, session);
  return report_diagnostics(options.common, streams, session);
}

int run_calibrate(const CalibrateFlags& options, Streams& streams) {
  if (!options.kit.empty()) return run_kit(options, streams);
  if (options.common.inputs.size() < 2) return refuse(streams, "expected a kind and at least one file");
  if (options.common.inputs[0] == "steps") return run_calibrate_steps(options, streams);
  if (options.common.inputs[0] == "errors") return run_calibrate_errors(options, streams);
  const MeasuredKind* kind = operator_models::find_calibration_kind(options.common.inputs[0]);
  if (!kind)
    return refuse(streams,
                  fmt::format("unknown kind '{}' (expected one of {})", options.common.inputs[0], kind_names()));
  if (!options.scenario.set.empty() || !options.fit.empty() || !options.by.empty() || !options.write.empty() ||
      !options.priors.empty())
    return refuse(streams, "--set, --fit, --by, --write and --priors are of steps and errors alone");
  Session session = open_session(options.common);
  Stopwatch watch(options.common.timing, streams.err);
  const auto machine = find_machine({options.cluster, options.gpu, options.score}, session);
  const auto task = task_of(options, session);
  const FitRow* fit = fit_of(*kind, options.model, session);
  if (!machine || !task || !fit) return report_diagnostics(options.common, streams, session);
  const SampleSet set = elapsed(options.common, streams, "reading",
                                [&] { return read_samples(*kind, *task, *machine, options, streams, session); });
  if (session.diagnostics.has_errors()) return report_diagnostics(options.common, streams, session);
  const std::string rows = fmt::format("{} rows", set.samples.size());
  if (!options.score.empty()) {
    if (int status = report_diagnostics(options.common, streams, session)) return status;
    const ProfileScore scored = score_samples(set, *machine, *kind, *fit, options);
    watch.mark(rows, 1);
    return print(score_report(scored), options.common, streams, "calibrate");
  }
  const auto calibrated =
      elapsed(options.common, streams, "fitting", [&] { return calibrate(set, *machine, *fit, options, session); });
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark(rows, 1);
  tell_warnings(calibrated->fitted.warnings, options.common, streams);
  if (options.common.format != "table")
    return print(calibrate_report(*calibrated), options.common, streams, "calibrate");
  streams.out << fragment_text(*calibrated);  // a file to keep: no line of it is wrapped
  return kDone;
}

constexpr Example kCalibrateExamples[] = {
    {"a GEMM model from a table of measurements",
     "trainplan calibrate gemm example:gemm_fp32_mi100.csv --gpu mi100-32gb --precision fp32"},
    {"how GEMMs share a GPU",
     "trainplan calibrate concurrency example:concurrent_shapes.csv --gpu mi100-32gb --precision fp32 --model "
     "go"},
};

}  // namespace

Command calibrate_command() {
  return command_of<kCalibrateFlags, run_calibrate>(
      {.name = "calibrate",
       .summary = "fit operator models to measurements: a profile fragment and its hold-out error",
       .argument = "[KIND] DATA...",
       .examples = kCalibrateExamples});
}

}  // namespace cli
