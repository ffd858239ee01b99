#include "planner/search/sweep.h"

#include <algorithm>
#include <utility>

#include "planner/plan/mean_plan.h"
#include "planner/plan/violations.h"
#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/goal.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

// Conditions over fields that do not hold; a walk stops at the first of them, a plan names all.
void add_unmet_conditions(const dsl::Space& space, dsl::Cursor& cursor, std::vector<std::string>& broken) {
  if (cursor.refusal() == dsl::Refusal::none) return;
  for (const dsl::Condition& condition : space.conditions()) {
    const std::optional<dsl::Value> holds = cursor.evaluate(condition.expression, {});
    if (!holds || !std::get<bool>(holds->v)) broken.emplace_back(refusal_name(condition));
  }
}

/// Keeps the values of the choices: what stayed as it was is not copied again.
class Choices {
 public:
  explicit Choices(const dsl::Space& space) {
    for (size_t i = 0; i < space.items().size(); ++i)
      if (space.items()[i].is_choice) items_.push_back(i);
  }

  /// Learns what changed at the cursor. REQUIRES: it is called for every combination with values.
  void note(const dsl::Cursor& cursor) { changed_ = std::min(changed_, cursor.changed()); }
  /// `values`: those that were followed last, or none.
  void follow(const dsl::Cursor& cursor, std::vector<dsl::Value>& values) {
    const size_t changed = values.empty() ? 0 : std::exchange(changed_, items_.size());
    values.resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i)
      if (cursor.level(items_[i]) >= changed) values[i] = cursor.value(items_[i]);
  }

 private:
  std::vector<size_t> items_;
  size_t changed_ = 0;  // first level whose value may not be in `values`
};

/// Finds what candidates come to by plans of their own.
class WholePlans {
 public:
  WholePlans(const OpenScenario&, const std::vector<size_t>&) {}

  void follow(const dsl::Cursor&) {}
  void skip(const dsl::Cursor&) {}
  void broken_rules(const Scenario& s, std::vector<size_t>& rules) {
    rules.clear();
    for (size_t rule = 0; rule < layout_rule_count(); ++rule)
      if (breaks_layout_rule(rule, s)) rules.push_back(rule);
  }

  /// Costs a candidate at one of its lengths, which come one after the other.
  void cost(const Scenario& s) { plans_.push_back(make_plan_of_one(s)); }
  void forget() { plans_.clear(); }
  /// Gives what all of them come to. Returns the memory.
  MemoryPeaks give(const Scenario& s, Swept& swept) {
    const Plan plan = s.lengths.shares.empty() ? std::move(plans_.front()) : mean_plan(s, plans_);
    note_outcome(s, results_of(plan), *swept.found);
    for (const Violation& v : plan.violations) swept.broken.push_back(v.rule);
    return *plan.memory;
  }

 private:
  std::vector<Plan> plans_;  // by length
};

/// The same, from the parts that they share.
class SharedPlans {
 public:
  SharedPlans(const OpenScenario& open, const std::vector<size_t>& order) : evaluator_(open, shared_, order) {
    evaluator_.keep_calls(!open.sample.lengths.shares.empty());
  }

  void follow(const dsl::Cursor& cursor) { evaluator_.follow(cursor); }
  void skip(const dsl::Cursor& cursor) { evaluator_.skip(cursor); }
  void broken_rules(const Scenario& s, std::vector<size_t>& rules) { evaluator_.broken_rules(s, rules); }

  void cost(const Scenario& s) {
    figures_.push_back(evaluator_.figures(s));
    if (hidden_.size() < figures_.size()) hidden_.emplace_back();
    hidden_[figures_.size() - 1] = evaluator_.hidden();
  }
  void forget() { figures_.clear(); }
  MemoryPeaks give(const Scenario& s, Swept& swept) {
    const bool one = s.lengths.shares.empty();
    if (!one) figures_.front() = mean_figures(s, figures_);
    note_outcome(s, results_of(figures_.front()), *swept.found);
    swept.found->results.hidden_comm = one ? hidden_seconds(hidden_.front()) : mean_hidden_seconds(s, hidden_);
    return figures_.front().memory;
  }

 private:
  SharedParts shared_;
  Evaluator evaluator_;
  std::vector<PlanFigures> figures_;  // by length
  std::vector<HiddenRows> hidden_;    // by length; memory that is kept
};

template <class Plans> class Sweep {
 public:
  Sweep(const OpenScenario& open, const std::vector<size_t>& order)
      : open_(open), goal_(open, false), choices_(open.space), candidate_(open), plans_(open, order) {}

  /// Gives the candidate that begins under the cursor, which it leaves at the last of its combinations.
  void give(dsl::Cursor& cursor, Swept& swept) {
    plans_.forget();
    shorter_.clear();
    for (;; cursor.next()) {
      if (cursor.is_valueless()) return refuse(cursor, swept);
      s_ = &candidate_.at(cursor);
      plans_.follow(cursor);
      choices_.note(cursor);
      plans_.broken_rules(*s_, rules_);
      if (shorter_.empty() && rules_.empty()) plans_.cost(*s_);
      if (cursor.ends_candidate()) break;
      shorter_.insert(shorter_.end(), rules_.begin(), rules_.end());
    }
    choices_.follow(cursor, swept.choices);
    name_broken(swept);
    if (!swept.broken.empty()) return swept.found.reset();
    if (!swept.found) swept.found.emplace();
    judge(cursor, plans_.give(*s_, swept), swept);
  }

 private:
  /// Leaves nothing but that a value is missing.
  void refuse(dsl::Cursor& cursor, Swept& swept) {
    swept.choices.clear();
    swept.found.reset();
    swept.broken.emplace_back(refusal_name(cursor.refusal()));
    for (skip(cursor); !cursor.ends_candidate(); skip(cursor)) cursor.next();
  }
  void skip(const dsl::Cursor& cursor) {
    candidate_.skip(cursor);
    plans_.skip(cursor);
  }

  /// Names the rules that the longest length breaks before those of the others.
  void name_broken(Swept& swept) {
    for (size_t rule : rules_) swept.broken.emplace_back(layout_rule_name(rule));
    for (size_t rule : shorter_)
      if (std::ranges::count(swept.broken, layout_rule_name(rule)) == 0)
        swept.broken.emplace_back(layout_rule_name(rule));
  }

  /// Adds what `plan` would say of the candidate's results.
  void judge(dsl::Cursor& cursor, const MemoryPeaks& memory, Swept& swept) {
    add_overflows(memory, swept.broken);
    add_unmet_conditions(open_.space, cursor, swept.broken);
    for (const char* rule : goal_.all_broken(cursor, swept.found->results)) swept.broken.emplace_back(rule);
  }

  const OpenScenario& open_;
  const GoalCheck goal_;
  Choices choices_;
  Candidate candidate_;
  Plans plans_;
  const Scenario* s_ = nullptr;
  std::vector<size_t> rules_, shorter_;  // that a candidate breaks: at its last length, which is the longest; at others
};

template <class Plans> void sweep_by(const OpenScenario& open, const std::function<bool(const Swept&)>& row) {
  dsl::Cursor cursor(open.space);
  Sweep<Plans> sweep(open, cursor.order());
  for (Swept swept; cursor.next(); ++swept.index) {
    swept.broken.clear();
    sweep.give(cursor, swept);
    if (!row(swept)) return;
  }
}

}  // namespace

void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row) {
  return open.sample.fitted.empty() ? sweep_by<SharedPlans>(open, row) : sweep_by<WholePlans>(open, row);
}

std::optional<std::vector<dsl::Value>> first_choices(const OpenScenario& open, int64_t most) {
  const size_t choices = choice_names(open.space).size();
  const auto is_of_value = [](const std::string& rule) { return rule == "divisibility" || rule == "value"; };
  std::optional<std::vector<dsl::Value>> first;
  sweep(open, [&](const Swept& swept) {
    const bool readable = swept.choices.size() == choices && std::ranges::none_of(swept.broken, is_of_value);
    if (swept.found || (readable && !first)) first = swept.choices;
    return !swept.found && swept.index + 1 < most;
  });
  return first;
}

}  // namespace planner
