#include "planner/search/verify.h"

#include <algorithm>
#include <array>

#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"

namespace planner {
namespace {

struct Figure {
  const char* name;
  double (*value)(const Plan&);
};
constexpr std::array kFigures{
    Figure{"forward", [](const Plan& p) { return p.breakdown->forward; }},
    Figure{"backward", [](const Plan& p) { return p.breakdown->backward; }},
    Figure{"recompute", [](const Plan& p) { return p.breakdown->recompute; }},
    Figure{"optimizer", [](const Plan& p) { return p.breakdown->optimizer; }},
    Figure{"serialized_comm", [](const Plan& p) { return p.breakdown->serialized_comm; }},
    Figure{"exposed_comm", [](const Plan& p) { return p.breakdown->exposed_comm; }},
    Figure{"bubble", [](const Plan& p) { return p.breakdown->bubble; }},
    Figure{"overhead", [](const Plan& p) { return p.breakdown->overhead; }},
    Figure{"step", [](const Plan& p) { return p.step->seconds; }},
    Figure{"low", [](const Plan& p) { return p.step->low_seconds; }},
    Figure{"allocated_bytes", [](const Plan& p) { return p.memory->allocated_bytes; }},
    Figure{"peak_bytes", [](const Plan& p) { return p.memory->peak_bytes; }},
    Figure{"host_bytes", [](const Plan& p) { return p.memory->host_bytes; }},
    Figure{"mfu", [](const Plan& p) { return p.throughput->mfu; }},
    Figure{"hfu", [](const Plan& p) { return p.throughput->hfu; }},
    Figure{"days", [](const Plan& p) { return p.cost->days.value_or(0); }},
    Figure{"usd", [](const Plan& p) { return p.cost->usd.value_or(0); }},
    Figure{"kwh", [](const Plan& p) { return p.cost->kwh.value_or(0); }},
};

std::string difference(const Plan& searched, const std::optional<Plan>& planned) {
  if (!planned || !planned->step) return "no plan";
  for (const Figure& figure : kFigures)
    if (figure.value(searched) != figure.value(*planned)) return figure.name;
  return "";
}

}  // namespace

Verified verify(const OpenScenario& open, int64_t evaluated, int64_t count, const Replan& replan) {
  const int64_t every = std::max<int64_t>(1, evaluated / std::max<int64_t>(1, count));
  Verified verified{.mismatches = {}};
  dsl::Cursor cursor(open.space);
  Candidate candidate(open);
  Evaluator evaluator(open);
  for (int64_t costed = 0; cursor.next();) {
    if (cursor.refusal() != dsl::Refusal::none) {
      candidate.skip(cursor);
      continue;
    }
    const Scenario& s = candidate.at(cursor);
    if (broken_layout_rule(s)) continue;
    const Plan searched = evaluator.plan(cursor, s);
    if (costed++ % every != 0) continue;
    ++verified.candidates;
    std::vector<dsl::Value> choices = chosen(open.space, cursor);
    std::string figure = difference(searched, replan(choices));
    if (!figure.empty()) verified.mismatches.push_back({std::move(choices), std::move(figure)});
  }
  return verified;
}

}  // namespace planner
