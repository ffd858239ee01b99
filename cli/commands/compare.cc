#include "cli/commands/compare.h"

#include <algorithm>
#include <array>

#include "cli/commands/common.h"
#include "cli/commands/search.h"
#include "cli/pages/compare_report.h"
#include "planner/plan/goals.h"

namespace cli {
namespace {

/// One of the two, with its session: messages point into the sources.
struct Side {
  Session session;
  std::optional<planner::LoadedScenario> loaded;
  planner::Plan plan;
};

/// kNotFeasible where --pick best finds nothing, and `loaded` is absent where there is nothing to show either; what is
/// wrong with the scenario stands in the session.
int read_side(const std::string& input, const Options& options, Streams& streams, Side& side) {
  Options one = options;
  one.inputs = {input};
  return with_picked(one, streams, [&side](const Options& picked, Streams& from) {
    side.loaded = load_one_length(picked, "compare", from, side.session);
    if (!side.loaded) return int{kDone};
    side.plan = planner::make_plan(side.loaded->scenario);
    planner::check_goals(side.plan, *side.loaded, side.session.diagnostics);
    return int{kDone};
  });
}

}  // namespace

int run_compare(const Options& options, Streams& streams) {
  if (options.inputs[0] == "-" && options.inputs[1] == "-") {
    streams.err << "trainplan compare: only one of A and B can be standard input\n";
    return kWrongUsage;
  }
  std::array<Side, 2> sides;
  Session all;
  for (size_t i = 0; i < sides.size(); ++i) {
    const int status = read_side(options.inputs[i], options, streams, sides[i]);
    if (status != kDone && !sides[i].loaded) return status;
    const auto& found = sides[i].session.diagnostics.list;
    all.diagnostics.list.insert(all.diagnostics.list.end(), found.begin(), found.end());
  }
  if (int status = report_diagnostics(options, streams, all)) return status;
  const Compared a{*sides[0].loaded, sides[0].plan}, b{*sides[1].loaded, sides[1].plan};
  const Report report = compare_report(a, b, planner::compare(a.loaded, b.loaded));
  if (int status = print(report, options, streams, "compare")) return status;
  return a.plan.feasible && b.plan.feasible ? kDone : kNotFeasible;
}

}  // namespace cli
