#include "planner/search/verify.h"

#include <algorithm>

#include "planner/plan/results.h"
#include "planner/search/coster.h"

namespace planner {
namespace {

std::string difference(const PlanFigures& searched, const std::optional<Plan>& planned) {
  if (!planned || !planned->step) return "no plan";
  const PlanFigures again = plan_figures(*planned);
  const Results found = results_of(searched), made = results_of(again);
  for (const ResultRow& row : result_figures())
    if (row.figure(found) != row.figure(made)) return row.key();
  if (searched.memory.allocated_bytes != again.memory.allocated_bytes) return "allocated_bytes";
  if (searched.memory.host.peak_bytes != again.memory.host.peak_bytes) return "host_bytes";
  return "";
}

}  // namespace

Verified verify(const OpenScenario& open, int64_t evaluated, int64_t count, const Replan& replan) {
  const int64_t every = std::max<int64_t>(1, evaluated / std::max<int64_t>(1, count));
  Verified verified{};
  dsl::Cursor cursor(open.space);
  SharedParts shared;
  Coster coster(open, shared, cursor.order());
  for (int64_t counted = 0; cursor.next();) {
    const Costed costed = coster.cost(cursor);
    if (!costed.figures || counted++ % every != 0) continue;
    ++verified.candidates;
    std::vector<dsl::Value> choices = chosen(open.space, cursor);
    std::string figure = difference(*costed.figures, replan(choices));
    if (!figure.empty()) verified.mismatches.push_back({std::move(choices), std::move(figure)});
  }
  return verified;
}

}  // namespace planner
