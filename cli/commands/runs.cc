#include "cli/commands/runs.h"

#include "dsl/node.h"
#include "dsl/where.h"

namespace cli {

SelectedRuns read_selected_runs(const std::string& path, const std::string& where, Outliers outliers, Streams& streams,
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
  const dsl::Source& condition = session.sources.emplace_back(dsl::Source{"--where", where, ""});
  const auto why = table.column("outlier");
  const bool drops = outliers == Outliers::left_out && why && where.find("outlier") == std::string::npos;
  SelectedRuns out;
  for (size_t row : dsl::select_rows(table, condition, session.diagnostics)) {
    if (drops && !table.rows[row][*why].text.empty()) ++out.outliers;
    else out.runs.push_back(std::move(runs[row]));
  }
  return out;
}

}  // namespace cli
