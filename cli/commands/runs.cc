#include "cli/commands/runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "cli/commands/replay_files.h"
#include "dsl/node.h"
#include "dsl/similar.h"
#include "dsl/where.h"
#include "planner/studies/runs/row_scenario.h"
#include "planner/trace/steps.h"

namespace cli {

namespace {

constexpr const char* kGeneration = "generation";  // of the accelerator: what no table needs to say

/// "nemo H100-SXM-80GB": the cells of --by. An unknown column is diagnosed.
void group_by(const std::vector<std::string>& columns, const dsl::CsvTable& table, std::vector<planner::Run>& runs,
              Session& session) {
  if (columns.empty()) return;
  for (planner::Run& run : runs) run.group.clear();
  for (const std::string& name : columns) {
    const auto column = table.column(name);
    if (!column && name != kGeneration) {
      std::vector<std::string> known = table.names();
      known.emplace_back(kGeneration);
      return session.diagnostics.error({}, "--by: no column '" + name + "'", dsl::did_you_mean(name, known));
    }
    for (planner::Run& run : runs)
      run.group += (run.group.empty() ? "" : " ") +
                   (column ? table.rows[run.row][*column].text : planner::generation_of(run.config, session.catalog));
  }
}

constexpr const char* kHint = "record with a schedule, and call step() of the profiler after each iteration";

std::vector<std::string> files_of(const std::string& cell, const std::string& table) {
  const std::filesystem::path folder = std::filesystem::path(table).parent_path();
  std::vector<std::string> files;
  std::istringstream words(cell);
  for (std::string word; words >> word;) files.push_back((folder / word).string());
  return files;
}

/// nullopt: diagnosed.
std::optional<double> step_seconds(const planner::Run& run, const std::string& table, Streams& streams,
                                   Session& session) {
  const size_t told = session.diagnostics.list.size();
  const ReplayFiles files = read_replay_files(files_of(run.trace, table), false, streams, session);
  place_mistakes(told, run.trace_place, session.diagnostics);
  if (session.diagnostics.has_errors()) return std::nullopt;
  if (!files.executions.empty())
    return session.diagnostics.error(
               run.trace_place,
               fmt::format("'{}' is an execution trace: it has no times of steps", files.executions.front().file),
               "expected a trace of Kineto or a profile of Nsight Systems"),
           std::nullopt;
  const planner::trace::StepTime time = planner::trace::step_time_of(files.ranks);
  if (!time.wrong.empty()) return session.diagnostics.error(run.trace_place, time.wrong, kHint), std::nullopt;
  if (time.steps == 1)
    session.diagnostics.warning(run.trace_place, "only one step is marked: its time on the host is taken",
                                "the begin of a next one would count what the device does behind its host");
  return time.seconds;
}

/// Gives each run that names traces (column `measured_trace`: a file a rank, blanks between them, beside the table
/// `path`) the mean time of the steps that they mark. Diagnosed at the cell: files that cannot be read, execution
/// traces, no marked steps, ranks with different numbers of them. Warned: a single step.
void read_measured_traces(const std::string& path, std::vector<planner::Run>& runs, Streams& streams,
                          Session& session) {
  for (planner::Run& run : runs)
    if (!run.trace.empty()) run.measured.seconds = step_seconds(run, path, streams, session);
}

/// The scenarios that rows name, from the folder of the table on.
void read_scenarios(const std::string& table, std::vector<planner::Run>& runs, Streams& streams, Session& session) {
  const std::filesystem::path folder = std::filesystem::path(table).parent_path();
  for (planner::Run& run : runs) {
    if (run.config.file.empty() || !run.config.scenario.empty()) continue;
    const size_t told = session.diagnostics.list.size();
    const dsl::Source* source = read_input((folder / run.config.file).string(), streams, session);
    place_mistakes(told, run.file_place, session.diagnostics);
    if (source) run.config.scenario = source->text;
  }
}

}  // namespace

SelectedRuns read_selected_runs(const std::string& path, const RunSelection& selection, Streams& streams,
                                Session& session) {
  const dsl::Source* source = read_input(path, streams, session);
  if (!source) return {};
  if (source->text.size() > dsl::ParseLimits{}.bytes) {
    session.diagnostics.error({source, 1, 1, 0}, "the table is larger than 1 MiB", "validate it in parts");
    return {};
  }
  const dsl::CsvTable table = dsl::read_csv(*source, session.diagnostics);
  std::vector<planner::Run> runs = planner::read_runs(table, session.diagnostics);
  if (session.diagnostics.has_errors()) return {};
  group_by(selection.by, table, runs, session);
  const std::string& where = selection.where;
  const dsl::Source& condition = session.sources.emplace_back(dsl::Source{"--where", where, ""});
  const auto why = table.column("outlier");
  const bool drops = selection.outliers == Outliers::left_out && why && where.find("outlier") == std::string::npos;
  SelectedRuns out;
  for (size_t row : dsl::select_rows(table, condition, session.diagnostics)) {
    if (drops && !table.rows[row][*why].text.empty()) ++out.outliers;
    else out.runs.push_back(std::move(runs[row]));
  }
  read_measured_traces(path, out.runs, streams, session);
  read_scenarios(path, out.runs, streams, session);
  return out;
}

}  // namespace cli
