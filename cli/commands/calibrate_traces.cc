#include "cli/commands/calibrate_traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "cli/commands/replay_files.h"
#include "planner/replay/measured_operators.h"
#include "planner/trace/readers.h"

namespace cli {

bool is_trace(const std::string& path) {
  std::string head(planner::trace::kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return planner::trace::is_trace(head);
}

const dsl::Source* table_of_traces(const std::vector<std::string>& paths, std::string_view kind,
                                   const operator_models::Machine& machine, Streams& streams, Session& session) {
  ReplayFiles files = read_replay_files(paths, false, streams, session);
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

}  // namespace cli
