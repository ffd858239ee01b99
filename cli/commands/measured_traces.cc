#include "cli/commands/measured_traces.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "cli/commands/replay_files.h"
#include "planner/trace/steps.h"

namespace cli {
namespace {

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
  for (size_t i = told; i < session.diagnostics.list.size(); ++i)
    if (!session.diagnostics.list[i].span.source) session.diagnostics.list[i].span = run.trace_place;
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

}  // namespace

void read_measured_traces(const std::string& path, std::vector<planner::Run>& runs, Streams& streams,
                          Session& session) {
  for (planner::Run& run : runs)
    if (!run.trace.empty()) run.measured.seconds = step_seconds(run, path, streams, session);
}

}  // namespace cli
