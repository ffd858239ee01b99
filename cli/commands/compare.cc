#include "cli/commands/compare.h"

#include <algorithm>
#include <array>

#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/compare_report.h"
#include "cli/pages/provenance.h"
#include "planner/plan/goals.h"
#include "planner/plan/relief.h"
#include "planner/resolve/measured_read.h"

namespace cli {
namespace {

struct CompareFlags {
  CommonFlags common;
  ScenarioFlags scenario;
};
constexpr auto kCompareFlags = scenario_flags(kPickRows<CompareFlags>, kMeasuredRows<CompareFlags>);

/// One of the two, with its session: messages point into the sources.
struct Side {
  Session session;
  std::optional<planner::LoadedScenario> loaded;
  planner::Plan plan;
};

/// kNotFeasible where --pick best finds nothing, and `loaded` is absent where there is nothing to show either; what is
/// wrong with the scenario stands in the session.
int read_side(const std::string& input, const CompareFlags& options, Streams& streams, Side& side) {
  CommonFlags one = options.common;
  one.inputs = {input};
  return with_picked(one, options.scenario, planner::Opens::said, streams,
                     [&](const ScenarioFlags& picked, Streams& from) {
                       side.loaded = load_one_length(one, picked, "compare", from, side.session);
                       if (!side.loaded) return int{kDone};
                       side.plan = planner::make_advised_plan(side.loaded->scenario);
                       planner::check_goals(side.plan, *side.loaded, side.session.diagnostics);
                       return int{kDone};
                     });
}

/// --measured is a step of A. B takes over what A learned from it, if both are of the same family of runs.
CompareFlags beside(CompareFlags options, const Side& a) {
  options.scenario.measured.clear();
  if (!a.loaded) return options;
  const std::string own = planner::own_set(a.loaded->scenario.software.errors.own);
  if (!own.empty()) options.scenario.set.push_back(own);
  return options;
}

int run_compare(const CompareFlags& options, Streams& streams) {
  if (options.common.inputs[0] == "-" && options.common.inputs[1] == "-") {
    streams.err << "trainplan compare: only one of A and B can be standard input\n";
    return kWrongUsage;
  }
  std::array<Side, 2> sides;
  Session all;
  for (size_t i = 0; i < sides.size(); ++i) {
    const int status =
        read_side(options.common.inputs[i], i == 0 ? options : beside(options, sides[0]), streams, sides[i]);
    if (status != kDone && !sides[i].loaded) return status;
    const auto& found = sides[i].session.diagnostics.list;
    all.diagnostics.list.insert(all.diagnostics.list.end(), found.begin(), found.end());
  }
  std::vector<std::pair<std::string, double>> assumed;
  for (const Side& side : sides)
    if (side.loaded && side.plan.step)
      assumed.emplace_back(side.loaded->scenario.cluster.gpu.name, side.plan.errors.assumed);
  warn_of_unlike(assumed, all.diagnostics);
  if (int status = report_diagnostics(options.common, streams, all)) return status;
  const ComparedPlan a{"A", *sides[0].loaded, sides[0].plan}, b{"B", *sides[1].loaded, sides[1].plan};
  const Report report = compare_report(a, b, planner::compare(a.loaded, b.loaded));
  if (int status = print(report, options.common, streams, "compare")) return status;
  return a.plan.feasible && b.plan.feasible ? kDone : kNotFeasible;
}

constexpr Example kCompareExamples[] = {
    {"what each difference of two models and machines is worth",
     "trainplan compare scenarios/gpt3-175b.yaml scenarios/llama3.1-405b-h100.yaml"},
    {"from a step of yours to the best, as a picture",
     "trainplan compare scenarios/gpt3-175b.yaml scenarios/gpt3-175b-search.yaml --pick best --format svg"},
};

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "two plans side by side: what differs, and how many seconds and dollars each difference is worth",
          .argument = "A B",
          .flags = kCompareFlags.flags,
          .examples = kCompareExamples,
          .function = run_with<kCompareFlags, CompareFlags, run_compare>,
          .pictures = true};
}

}  // namespace cli
