// Step times of one scenario at many sequence lengths (lengths.h).
#include "planner/resolve/lengths.h"
#include "planner/search/coster.h"

namespace planner {

std::vector<double> step_times(OpenScenario open, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths) open.sample.lengths.shares.push_back({length, 1, {}});
  SharedParts shared;
  dsl::Cursor cursor(open.space);
  for (Coster coster(open, shared, cursor.order()); cursor.next();) {
    const Costed costed = coster.cost(cursor);
    if (costed.each.size() != lengths.size()) continue;
    std::vector<double> seconds;
    for (const PlanFigures& figures : costed.each) seconds.push_back(figures.step.seconds);
    return seconds;
  }
  return {};
}

}  // namespace planner
