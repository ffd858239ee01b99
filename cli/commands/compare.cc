#include <array>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/pick.h"
#include "cli/pages/compare_report.h"
#include "cli/pages/plan_basis.h"
#include "planner/plan/goals.h"
#include "planner/resolve/measured_read.h"

namespace cli {
namespace {

constexpr auto kCompareFlags = scenario_flags(kPickRows<PlainScenarioFlags>, kMeasuredRows<PlainScenarioFlags>);

/// One of the two, with its session: messages point into the sources.
struct ComparedSide {
  Session session;
  std::optional<planner::LoadedScenario> loaded;
  planner::Plan plan;
};

/// Returns kNotFeasible if --pick best finds nothing; `loaded` is absent if there is nothing to show either. Mistakes
/// in the scenario are in the session.
int read_side(const std::string& input, const PlainScenarioFlags& options, Streams& streams, ComparedSide& side) {
  CommonFlags one = options.common;
  one.inputs = {input};
  return with_picked(one, options.scenario, planner::Opens::said, streams,
                     [&](const ScenarioFlags& picked, Streams& from) {
                       side.loaded = load_one_length(one, picked, "compare", from, side.session);
                       if (!side.loaded) return int{kDone};
                       side.plan = advised_plan(*side.loaded, picked, side.session);
                       planner::check_goals(side.plan, *side.loaded, side.session.diagnostics);
                       return int{kDone};
                     });
}

/// --measured is a step of A. B takes over what A learned from it, if both are of the same family of runs.
PlainScenarioFlags beside(PlainScenarioFlags options, const ComparedSide& a) {
  options.scenario.measured.clear();
  if (!a.loaded) return options;
  const std::string own = planner::own_set(a.loaded->scenario.software.errors.own);
  if (!own.empty()) options.scenario.set.push_back(own);
  return options;
}

int run_compare(const PlainScenarioFlags& options, Streams& streams) {
  if (options.common.inputs[0] == "-" && options.common.inputs[1] == "-")
    return refuse_usage("compare", "only one of A and B can be standard input", streams);
  std::array<ComparedSide, 2> sides;
  Session all;
  for (size_t i = 0; i < sides.size(); ++i) {
    const int status =
        read_side(options.common.inputs[i], i == 0 ? options : beside(options, sides[0]), streams, sides[i]);
    if (status != kDone && !sides[i].loaded) return status;
    add_mistakes(sides[i].session.diagnostics, all.diagnostics);
  }
  std::vector<std::pair<std::string, double>> assumed;
  for (const ComparedSide& side : sides)
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
     "trainplan compare example:gpt3-175b example:llama3.1-405b-h100"},
    {"from a step of yours to the best, as a picture",
     "trainplan compare example:gpt3-175b example:gpt3-175b-search --pick best --format svg"},
};

}  // namespace

Command compare_command() {
  return command_of<kCompareFlags, run_compare>(
      {.name = "compare",
       .summary = "two plans side by side: what differs, and how many seconds and dollars each difference is worth",
       .argument = "A B",
       .examples = kCompareExamples,
       .pictures = true});
}

}  // namespace cli
