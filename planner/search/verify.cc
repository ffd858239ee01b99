#include "planner/search/verify.h"

#include <algorithm>
#include <array>

#include "planner/search/coster.h"

namespace planner {
namespace {

struct Figure {
  const char* name;
  double (*value)(const PlanFigures&);
};
constexpr std::array kFigures{
    Figure{"step", [](const PlanFigures& f) { return f.step.seconds; }},
    Figure{"low", [](const PlanFigures& f) { return f.step.low_seconds; }},
    Figure{"allocated_bytes", [](const PlanFigures& f) { return f.memory.allocated_bytes; }},
    Figure{"peak_bytes", [](const PlanFigures& f) { return f.memory.device.peak_bytes; }},
    Figure{"host_bytes", [](const PlanFigures& f) { return f.memory.host.peak_bytes; }},
    Figure{"mfu", [](const PlanFigures& f) { return f.throughput.mfu; }},
    Figure{"hfu", [](const PlanFigures& f) { return f.throughput.hfu; }},
    Figure{"days", [](const PlanFigures& f) { return f.cost.days.value_or(0); }},
    Figure{"usd", [](const PlanFigures& f) { return f.cost.usd.value_or(0); }},
    Figure{"kwh", [](const PlanFigures& f) { return f.cost.kwh.value_or(0); }},
};

std::string difference(const PlanFigures& searched, const std::optional<Plan>& planned) {
  if (!planned || !planned->step) return "no plan";
  const PlanFigures again = plan_figures(*planned);
  for (const BreakdownPart& part : kBreakdownParts)
    if (searched.breakdown.*part.seconds != again.breakdown.*part.seconds) return part.name;
  for (const Figure& figure : kFigures)
    if (figure.value(searched) != figure.value(again)) return figure.name;
  return "";
}

}  // namespace

Verified verify(const OpenScenario& open, int64_t evaluated, int64_t count, const Replan& replan) {
  const int64_t every = std::max<int64_t>(1, evaluated / std::max<int64_t>(1, count));
  Verified verified{.mismatches = {}};
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
