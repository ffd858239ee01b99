#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cli/commands/calibrate.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/whole_file.h"
#include "cli/pages/calibrate_report.h"
#include "dsl/read_builtin.h"
#include "planner/plan/plan.h"
#include "planner/plan/uncertainty.h"
#include "planner/studies/errors/fit_errors.h"
#include "planner/studies/fit_steps/fit.h"

namespace cli {
namespace {

planner::FamilyKey family_of(const planner::Scenario& s) {
  return {s.software.name, s.cluster.gpu.generation, planner::job_kind(s), planner::job_width(s)};
}

planner::Plan plan_of(const planner::MeasuredRun& run) {
  planner::Scenario s = run.scenario;
  s.software.errors.operators = 1;  // all of their standard errors
  return planner::make_unchecked_plan(s);
}

planner::PeakRow peak_row(const planner::MeasuredRun& run, const planner::Plan& plan) {
  const planner::Measurement& m = run.measured;
  return {.group = run.group,
          .software = run.scenario.software.name,
          .platform = run.scenario.cluster.gpu.platform,
          .stands_in = run.scenario.software.errors.memory.stands_in,
          .cached = m.memory_kind != planner::MemoryKind::allocated,
          .ratio = std::log(*m.memory_bytes / peak_of(*plan.memory, m.memory_kind))};
}

/// All that its runs have in common, whatever their layout.
std::string job_of(const planner::Scenario& s) {
  return fmt::format("{} layers of {}, {} experts, {} words, {} x {} tokens, precision {}, adapters {}, on {} {}",
                     s.model.layers, s.model.hidden, s.model.experts.count, s.model.vocab, s.job.global_batch,
                     s.job.sequence, static_cast<int>(s.job.precision), s.job.lora.rank, s.cluster.gpus,
                     s.cluster.gpu.name);
}

planner::ErrorRow error_row(const planner::MeasuredRun& run, const planner::Plan& plan) {
  const planner::Scenario& s = run.scenario;
  const double seconds = plan.step->seconds, ratio = std::log(*run.measured.seconds / seconds);
  return {.id = run.id,
          .group = run.group,
          .family = family_of(s),
          .shipped = ratio,
          .left_out = ratio,
          .operators = planner::operators_error(plan.errors),
          .size = planner::run_size(s, seconds),
          .job = job_of(s),
          .layout = s.parallelism};
}

/// Values that a source mentions only in passing, or that a table derives, do not measure a plan.
std::vector<planner::Run> sound_runs(const CalibrateFlags& options, Streams& streams, Session& session,
                                     std::vector<std::string>& warnings) {
  std::vector<planner::Run> runs = read_all_runs(options, streams, session, warnings);
  const size_t left = std::erase_if(runs, [](const planner::Run& run) { return run.quality == "bronze"; });
  if (left > 0) warnings.push_back(fmt::format("{} rows of quality bronze are left out", left));
  return runs;
}

/// Predictions by a fit that starts from the priors and leaves the row's family out, by the number of the run.
std::map<size_t, double> left_out_ratios(const CalibrateFlags& options, Streams& streams, Session& session) {
  std::vector<std::string> unasked;
  std::vector<planner::MeasuredRun> rows =
      measured_runs(sound_runs(options, streams, session, unasked), options, session, unasked);
  if (session.diagnostics.has_errors()) return {};
  std::erase_if(rows, [](const planner::MeasuredRun& run) { return !run.measured.seconds; });
  for (planner::MeasuredRun& run : rows) run.group = text_of(family_of(run.scenario));
  planner::StepProblem problem(std::move(rows));
  const planner::StepsFit fit = planner::fit_steps(problem, {}, session.diagnostics);
  std::map<size_t, double> out;
  for (size_t i = 0; i < fit.ratios_left_out.size(); ++i) out[problem.rows()[i].number] = -fit.ratios_left_out[i].time;
  return out;
}

void leave_families_out(const CalibrateFlags& options, const std::vector<size_t>& numbers, Streams& streams,
                        Session& session, std::vector<planner::ErrorRow>& rows) {
  Session before;
  std::vector<std::string> directories{options.priors};
  directories.insert(directories.end(), options.common.catalog.begin(), options.common.catalog.end());
  open_catalog(before, directories);
  const std::map<size_t, double> ratios = left_out_ratios(options, streams, before);
  add_mistakes(before.diagnostics, session.diagnostics);
  for (size_t i = 0; i < rows.size(); ++i)
    if (const auto at = ratios.find(numbers[i]); at != ratios.end()) rows[i].left_out = at->second;
}

/// What each profile of the catalogue extends.
std::map<std::string, std::string> software_parents(Session& session) {
  std::map<std::string, std::string> out;
  for (const std::string& name : dsl::catalog_names(session.catalog, "software")) {
    std::string why;
    dsl::Diagnostics unasked;
    const dsl::Source* source = dsl::find_source(session.catalog, "software", name, "/", session.sources, why);
    if (!source) continue;
    const dsl::Node tree = dsl::tree_of(*source, unasked);
    const dsl::Node* extends = tree.kind == dsl::Node::Kind::map ? tree.find("extends") : nullptr;
    if (extends) out[name] = extends->text;
  }
  return out;
}

/// The profile that software goes back to.
std::string root_of(const FittedErrors& errors, const std::string& software) {
  const std::vector<std::string> line = lineage(errors, software);
  return line.empty() ? software : line.back();
}

void name_lineages(FittedErrors& errors) {
  for (planner::PeakRow& row : errors.peaks) row.lineage = root_of(errors, row.software);
  for (planner::ErrorRow& row : errors.rows) row.job = root_of(errors, row.family.software) + ": " + row.job;
}

}  // namespace

int run_calibrate_errors(const CalibrateFlags& options, Streams& streams) {
  Session session = open_session(options.common);
  FittedErrors errors{.rows = {},
                      .peaks = {},
                      .model = {},
                      .spreads = {},
                      .parents = {},
                      .files = file_names(options.common.inputs),
                      .runs = 0,
                      .warnings = {}};
  std::vector<planner::Run> runs = sound_runs(options, streams, session, errors.warnings);
  errors.runs = static_cast<int64_t>(runs.size());
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  std::vector<size_t> numbers;
  for (const planner::MeasuredRun& run : measured_runs(std::move(runs), options, session, errors.warnings)) {
    const planner::Plan plan = plan_of(run);
    if (run.measured.memory_kind != planner::MemoryKind::none) errors.peaks.push_back(peak_row(run, plan));
    if (!run.measured.seconds) continue;
    errors.rows.push_back(error_row(run, plan));
    numbers.push_back(run.number);
  }
  if (errors.rows.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, "no row can be predicted and compared in time", "trainplan validate says why");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (!options.priors.empty())
    elapsed(options.common, streams, "fitting without each family",
            [&] { leave_families_out(options, numbers, streams, session, errors.rows); });
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  errors.model = planner::fit_errors(errors.rows);
  errors.parents = software_parents(session);
  name_lineages(errors);
  errors.model.changes = planner::fit_changes(errors.rows);
  if (!errors.peaks.empty()) errors.spreads = planner::fit_peaks(errors.peaks);
  if (!options.write.empty()) write_new_files(options.write, errors_files(errors), session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  tell_warnings(errors.warnings, options.common, streams);
  return print(errors_report(errors), options.common, streams, "calibrate");
}

}  // namespace cli
