#include "planner/plan/relief.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/plan/at_length.h"
#include "planner/plan/fits.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr size_t kMostTold = 3;
constexpr int64_t kMostStagesOfPairs = 64;

/// Applies a change of the layout, if it does exactly what its text says.
bool make(const SingleChange& change, Scenario& s) {
  const int64_t interleave = s.parallelism.interleave;
  return apply_change(change, s) && s.parallelism.interleave == interleave;
}

bool can_run(const Scenario& s) {
  return layout_violations(s).empty() && !make_memory(s, build_workload(s)).overflows();
}

double step_seconds(const Scenario& s) { return make_unchecked_plan(s).step->seconds; }

/// What changes make of a plan that does not fit.
class Reliefs {
 public:
  explicit Reliefs(const Scenario& scenario) : before_seconds_(step_seconds(scenario)) {}
  void add(std::vector<const SingleChange*> changes, const Scenario& changed) {
    if (can_run(changed)) found_.push_back({std::move(changes), step_seconds(changed) / before_seconds_ - 1});
  }
  bool empty() const { return found_.empty(); }
  std::vector<Relief> cheapest_first() && {
    std::ranges::stable_sort(found_, {}, &Relief::slower);
    return std::move(found_);
  }

 private:
  double before_seconds_;
  std::vector<Relief> found_;
};

std::vector<const SingleChange*> told_changes() {
  std::vector<const SingleChange*> rows;
  for (const SingleChange& row : single_changes())
    if (!row.text.empty()) rows.push_back(&row);
  return rows;
}

bool plans_fast(const Scenario& s) {
  return s.parallelism.pp <= kMostStagesOfPairs || !find_schedule(schedule_name(s))->program;
}

void add_pairs(const Scenario& s, const std::vector<const SingleChange*>& rows, Reliefs& found) {
  for (const SingleChange* first : rows) {
    Scenario once = s;
    if (!make(*first, once)) continue;
    for (const SingleChange* second : rows) {
      Scenario twice = once;
      if (first < second && first->field != second->field && make(*second, twice)) found.add({first, second}, twice);
    }
  }
}

std::string told(const Relief& relief) {
  return fmt::format("{} (step {:+.1f} %)", relief.text(), relief.slower * 100);
}

std::string advice(const std::vector<Relief>& all) {
  if (all.empty()) return "no change of one setting makes it fit, and none of two: use more GPUs";
  std::string line = "it would fit with " + told(all[0]);
  const size_t count = std::min(all.size(), kMostTold);
  for (size_t i = 1; i < count; ++i) line += (i + 1 < count ? ", " : " or ") + told(all[i]);
  return line;
}

}  // namespace

std::string Relief::text() const {
  std::string line;
  for (const SingleChange* change : changes) line += (line.empty() ? "" : " and ") + change->text;
  return line;
}

std::vector<Relief> reliefs(const Scenario& s) {
  const std::vector<const SingleChange*> rows = told_changes();
  Reliefs found(s);
  for (const SingleChange* row : rows)
    if (Scenario other = s; make(*row, other)) found.add({row}, other);
  if (found.empty() && plans_fast(s)) add_pairs(s, rows, found);
  return std::move(found).cheapest_first();
}

Plan make_advised_plan(const Scenario& s) {
  Plan plan = make_plan(s);
  for (Violation& v : plan.violations)
    if (v.rule == kMemoryRule)
      v.message +=
          "; " + advice(reliefs(s.lengths.shares.empty() ? s : at_length(s, s.lengths.shares[plan.fullest_share])));
  return plan;
}

}  // namespace planner
