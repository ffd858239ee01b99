// A resolved scenario with overrides, and what its head holds and sends: what tests/adding_code_test.sh runs with a
// degree that the page adds. It stops at the workload, so that little must be compiled.
//
//     layout tp 8 x pp 8 x dp 16 x vp 3
//     head.parameters 617644032
//     head.vp 1.2e-05           seconds of communication, by what it is for
#include <cstdio>
#include <map>

#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"
#include "planner/workload/cost.h"
#include "planner/workload/passes/passes.h"

namespace {

planner::Scenario read(int count, char** arguments) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::string why;
  const dsl::Source* file = dsl::open_file(arguments[1], "", "", sources, why);
  std::vector<dsl::Override> overrides;
  for (int i = 2; i < count; ++i) overrides.push_back({arguments[i]});
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  const dsl::Node tree = dsl::load(*file, overrides, {}, catalog, sources, diagnostics);
  const dsl::Record record = dsl::evaluate(tree, planner::scenario_schema(), {}, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) std::fputs(dsl::render(d).c_str(), stderr);
  if (diagnostics.has_errors()) std::exit(1);
  return planner::bind_scenario(record);
}

}  // namespace

int main(int count, char** arguments) {
  const planner::Scenario s = read(count, arguments);
  const planner::CostedWorkload w = planner::cost_workload(s, planner::build_workload(s));
  std::printf("layout %s\n", planner::degrees_text(s.parallelism).c_str());
  std::printf("head.parameters %.0f\n", w.workload.head().parameters());
  std::map<std::string, double> seconds;
  for (const planner::CostedOp& op : w.blocks.back().ops)
    if (op.communication) seconds[name(op.work->purpose)] += op.cost.seconds.value;
  for (const auto& [purpose, sum] : seconds) std::printf("head.%s %g\n", purpose.c_str(), sum);
}
