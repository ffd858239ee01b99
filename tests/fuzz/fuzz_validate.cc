// libFuzzer: a line as `--where`, then any text as a table of measured runs. It must end in runs, of which the first
// that the condition selects are predicted, or in messages with places.
#include <cmath>
#include <sstream>

#include "cli/pages/study_pages.h"
#include "cli/render/render.h"
#include "dsl/where.h"
#include "planner/studies/runs/score.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::require;

constexpr size_t kMostRuns = 2;  // that are predicted

void check(std::vector<planner::Run> runs) {
  static const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  const planner::Score score = planner::score_runs(std::move(runs), catalog);
  for (const planner::ScoredRun& run : score.rows) {
    if (run.skipped()) continue;
    const planner::StepTime& step = run.prediction.step;
    require(std::isfinite(step.seconds) && step.seconds > 0);
    require(step.low_seconds <= step.seconds && step.seconds <= step.high_seconds);
    for (const double bytes :
         {run.prediction.allocated_bytes, run.prediction.reserved_bytes, run.prediction.device_bytes})
      require(std::isfinite(bytes) && bytes >= 0);
    for (const auto& figure : {run.predicted_memory_bytes, run.error, run.memory_error})
      require(!figure || std::isfinite(*figure));
  }
  std::ostringstream out;
  cli::render_json(cli::validate_report(score), {}, out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  const dsl::Source where{"--where", fuzz::take_line(text), ""}, source{"runs.csv", text, ""};
  dsl::Diagnostics diagnostics, of_where;
  const dsl::CsvTable table = dsl::read_csv(source, diagnostics);
  std::vector<planner::Run> runs = planner::read_runs(table, diagnostics);
  fuzz::require_places(diagnostics);
  if (diagnostics.has_errors()) return 0;
  require(runs.size() == table.rows.size());
  std::vector<planner::Run> selected;
  for (const size_t row : dsl::select_rows(table, where, of_where)) {
    require(row < runs.size());
    if (selected.size() < kMostRuns) selected.push_back(std::move(runs[row]));
  }
  fuzz::require_places(of_where);
  if (!of_where.has_errors()) check(std::move(selected));
  return 0;
}
