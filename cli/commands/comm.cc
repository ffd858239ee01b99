#include "cli/commands/comm.h"

#include "cli/commands/common.h"
#include "cli/commands/search.h"
#include "cli/pages/comm_picture.h"
#include "planner/plan/violations.h"
#include "planner/workload/passes/passes.h"

namespace cli {
namespace {

constexpr const char* kPictureUsage = "usage: trainplan comm SCENARIO --format svg";

int run_one(const Options& options, Streams& streams) {
  Session session;
  auto loaded = load_one_length(options, "comm", streams, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  if (!options.roi) {
    const planner::CommAnalysis analysis = planner::analyse_comm(s);
    Report report = comm_report(s, analysis);
    if (options.format == "svg") report.picture = comm_bars(s, analysis);
    return print(std::move(report), options, streams, "comm");
  }
  if (options.format == "svg") {
    streams.err << "trainplan comm: --roi has no picture; " << kPictureUsage << "\n";
    return kWrongUsage;
  }
  const planner::Algorithm algorithm = planner::count_algorithm(s, planner::build_workload(s));
  return print(region_report(s, algorithm, planner::cost_region(s)), options, streams, "comm");
}

}  // namespace

int run_comm(const Options& options, Streams& streams) { return with_picked(options, streams, run_one); }

}  // namespace cli
