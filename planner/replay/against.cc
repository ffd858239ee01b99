#include "planner/replay/against.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "planner/plan/plan.h"

namespace planner::replay {
namespace {

/// Whether sizes of a kind are the same.
bool is_same(const UseKind& kind, std::vector<double> a, std::vector<double> b) {
  if (a.size() != b.size()) return false;
  if (kind.work == KernelWork::collective && !a.empty())
    return std::abs(a[0] - b[0]) <= kSameBytes * std::max(a[0], b[0]) &&
           std::equal(a.begin() + 1, a.end(), b.begin() + 1);
  if (kind.work == KernelWork::matrix && !a.empty()) {
    std::sort(a.begin() + 1, a.end());
    std::sort(b.begin() + 1, b.end());
  }
  return a == b;
}

/// Pairs of operators, each found by the first property that identifies it.
class Pairs {
 public:
  Paired& of(const OperatorUse& use) {
    const auto [place, is_new] = places_.try_emplace({use.kind, use.sizes}, pairs.size());
    if (!is_new) return pairs[place->second];
    const auto same = std::ranges::find_if(
        pairs, [&](const Paired& pair) { return pair.kind == use.kind && is_same(*use.kind, pair.sizes, use.sizes); });
    place->second = static_cast<size_t>(same - pairs.begin());
    if (same == pairs.end()) pairs.push_back({.kind = use.kind, .sizes = use.sizes});
    return pairs[place->second];
  }
  std::vector<Paired> pairs;

 private:
  std::map<std::pair<const UseKind*, std::vector<double>>, size_t> places_;
};

void add(const Spent& spent, Spent& sum) {
  sum.count += spent.count;
  sum.seconds += spent.seconds;
}
void add(const Spent& spent, std::optional<Spent>& sum) {
  if (!sum) sum.emplace();
  add(spent, *sum);
}

void sum_up(Against& against) {
  std::map<KernelWork, WorkSum> works;
  for (const Paired& pair : against.pairs) {
    WorkSum& work = works.try_emplace(pair.kind->work, WorkSum{.work = pair.kind->work}).first->second;
    for (WorkSum* sum : {&work, &against.all}) {
      add(pair.measured.value_or(Spent{}), sum->measured);
      add(pair.planned.value_or(Spent{}), sum->planned);
    }
  }
  for (const auto& [work, sum] : works) against.works.push_back(sum);
}

void measure(const trace::RankSteps& steps, Against& against) {
  int64_t step_ns = 0, busy_ns = 0;
  for (const std::vector<trace::Step>& rank : steps)
    for (const trace::Step& step : rank) {
      step_ns += step.window.end_ns - step.window.begin_ns;
      busy_ns += step.ran.busy_ns;
    }
  against.measured_step_seconds = static_cast<double>(step_ns) * 1e-9 / count_of(steps);
  against.busy_seconds = static_cast<double>(busy_ns) * 1e-9 / count_of(steps);
}

}  // namespace

PlannedStep planned_step(const Scenario& scenario) {
  const Plan plan = make_plan(scenario);
  assert(plan.step && "a layout that does not work is refused before");
  return {operator_rows(scenario), plan.step->seconds};
}

double Paired::longest_seconds() const {
  return std::max(measured.value_or(Spent{}).seconds, planned.value_or(Spent{}).seconds);
}

// The planner's come first: a pair has their sizes, the forward pass of a layer before its gradients.
std::vector<Paired> pair_uses(const std::vector<OperatorUse>& measured, const std::vector<OperatorUse>& planned) {
  Pairs all;
  for (const OperatorUse& use : planned) {
    Paired& pair = all.of(use);
    add(use.spent, pair.planned);
    if (std::ranges::find(pair.names, use.name) == pair.names.end()) pair.names.push_back(use.name);
  }
  for (const OperatorUse& use : measured) add(use.spent, all.of(use).measured);
  std::ranges::stable_sort(all.pairs, std::greater(), &Paired::longest_seconds);
  return std::move(all.pairs);
}

Against compare_with_plan(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched,
                          const PlannedStep& planned) {
  Against against{.pairs = pair_uses(measured_uses(trace, steps, matched), planned_uses(planned.rows)),
                  .all = {.work = KernelWork::matrix},
                  .planned_step_seconds = planned.seconds};
  sum_up(against);
  measure(steps, against);
  return against;
}

}  // namespace planner::replay
