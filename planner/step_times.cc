// Step times of one scenario at many sequence lengths (lengths.h).
#include "planner/lengths.h"
#include "planner/results.h"
#include "planner/search/coster.h"

namespace planner {

std::vector<double> step_times(const dsl::Node& scenario, const std::vector<int64_t>& lengths) {
  dsl::Node tree = scenario;
  set_lengths(tree, lengths);
  dsl::Diagnostics unasked;  // the scenario was read before
  dsl::Space space(std::move(tree), scenario_schema(), {.together = kSequence, .results = result_names()}, unasked);
  if (unasked.has_errors()) return {};
  OpenScenario open{std::move(space), {}};
  open.sample = bind_scenario(open.space.record());
  for (const int64_t length : lengths) open.sample.lengths.shares.push_back({length, 1, {}});
  SharedParts shared;
  dsl::Cursor cursor(open.space);
  for (Coster coster(open, shared); cursor.next();) {
    const Costed costed = coster.cost(cursor);
    if (costed.each.size() != lengths.size()) continue;
    std::vector<double> seconds;
    for (const PlanFigures& figures : costed.each) seconds.push_back(figures.step.seconds);
    return seconds;
  }
  return {};
}

}  // namespace planner
