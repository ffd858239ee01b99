#include "cli/comm.h"

#include "cli/input.h"
#include "cli/search.h"
#include "planner/step.h"
#include "planner/workload/passes.h"

namespace cli {
namespace {

int run_one(const Options& options, Streams& streams) {
  Session session;
  auto loaded = load_scenario(options, streams, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  const std::vector<planner::Violation> violations = planner::layout_violations(s);
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  if (!violations.empty()) return kNotFeasible;
  if (!options.roi) return print(comm_report(s, planner::analyse_comm(s)), options, streams, "comm");
  const planner::Algorithm algorithm = planner::count_algorithm(s, planner::build_workload(s));
  return print(region_report(s, algorithm, planner::cost_region(s)), options, streams, "comm");
}

}  // namespace

int run_comm(const Options& options, Streams& streams) { return with_picked(options, streams, run_one); }

}  // namespace cli
