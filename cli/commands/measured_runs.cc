#include <fmt/format.h>

#include <map>

#include "cli/commands/calibrate.h"
#include "cli/commands/runs.h"
#include "planner/plan/plan.h"
#include "planner/studies/runs/predict.h"

namespace cli {
namespace {

/// A rate becomes the seconds of a step: the work of a step does not depend on the fit.
void take_seconds(const planner::Plan& plan, planner::Measurement& measured, std::string& skipped) {
  if (!plan.step) skipped = "infeasible layout";
  else if (measured.rate) measured.seconds = measured_seconds(measured, *plan.step, *plan.throughput);
}

}  // namespace

std::vector<planner::Run> read_all_runs(const CalibrateFlags& options, Streams& streams, Session& session,
                                        std::vector<std::string>& warnings) {
  std::vector<planner::Run> all;
  int64_t outliers = 0;
  for (size_t i = 1; i < options.common.inputs.size(); ++i) {
    SelectedRuns some =
        read_selected_runs(options.common.inputs[i], {options.where, options.by, Outliers::left_out}, streams, session);
    outliers += some.outliers;
    for (planner::Run& run : some.runs) all.push_back(std::move(run));
  }
  if (outliers > 0)
    warnings.push_back(
        fmt::format("{} rows say why they are outliers and are left out (--where on that column keeps "
                    "them)",
                    outliers));
  return all;
}

std::vector<planner::MeasuredRun> measured_runs(std::vector<planner::Run> runs, const CalibrateFlags& options,
                                                Session& session, std::vector<std::string>& warnings) {
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  std::vector<planner::MeasuredRun> out;
  std::map<std::string, int> skipped;
  for (size_t i = 0; i < runs.size(); ++i) {
    planner::Run& run = runs[i];
    const bool weighed = run.measured.memory_bytes && run.measured.memory_kind != planner::MemoryKind::none;
    if (!weighed) run.measured.memory_kind = planner::MemoryKind::none;
    planner::RunScenario read = planner::run_scenario(run.config, session.catalog, overrides);
    if (!read.bad_override.empty()) {
      session.diagnostics.error({}, read.bad_override);
      return {};
    }
    if (read.scenario) take_seconds(planner::make_plan(*read.scenario), run.measured, read.skipped);
    if (read.skipped.empty() && !run.measured.has_time() && !weighed)
      read.skipped = "nothing of a known kind was measured";
    if (!read.skipped.empty()) ++skipped[read.skipped];
    else {
      planner::ErrorModel none;
      none.memory.stands_in = read.scenario->software.errors.memory.stands_in;
      read.scenario->software.errors = none;
      out.push_back({run.id, run.group, i, std::move(*read.scenario), run.measured});
    }
  }
  for (const auto& [reason, count] : skipped) warnings.push_back(fmt::format("{} rows skipped: {}", count, reason));
  return out;
}

}  // namespace cli
