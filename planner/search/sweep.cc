#include "planner/search/sweep.h"

#include "planner/plan/mean_plan.h"
#include "planner/plan/violations.h"
#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/goal.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

// Conditions over fields that do not hold; a walk stops at the first of them, a plan names all.
size_t unmet_conditions(const dsl::Space& space, dsl::Cursor& cursor) {
  if (cursor.refusal() == dsl::Refusal::none) return 0;
  size_t unmet = 0;
  for (const dsl::Condition& condition : space.conditions()) {
    const std::optional<dsl::Value> holds = cursor.evaluate(*condition.expression, {});
    if (!holds || !std::get<bool>(holds->v)) ++unmet;
  }
  return unmet;
}

// Adds what `plan` would say of the candidate's results.
void judge(const OpenScenario& open, const GoalCheck& goal, dsl::Cursor& cursor, const MemoryPeaks& memory,
           Swept& swept) {
  add_overflows(memory, swept.broken);
  swept.broken.insert(swept.broken.end(), unmet_conditions(open.space, cursor), refusal_name(dsl::Refusal::where));
  for (const char* rule : goal.all_broken(cursor, swept.found->results)) swept.broken.emplace_back(rule);
}

/// Keeps the values of the choices: what stayed as it was is not copied again.
class Choices {
 public:
  explicit Choices(const dsl::Space& space) {
    for (size_t i = 0; i < space.items().size(); ++i)
      if (space.items()[i].is_choice) items_.push_back(i);
  }

  /// `values`: those of the candidate before, or none.
  void follow(const dsl::Cursor& cursor, std::vector<dsl::Value>& values) const {
    const size_t changed = values.empty() ? 0 : cursor.changed();
    values.resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i)
      if (cursor.level(items_[i]) >= changed) values[i] = cursor.value(items_[i]);
  }

 private:
  std::vector<size_t> items_;
};

void note(const Scenario& s, const Results& results, Swept& swept) {
  if (!swept.found) swept.found.emplace();
  note_outcome(s, results, *swept.found);
}

/// Leaves nothing but the rule that refuses it.
void refuse(const char* rule, Swept& swept) {
  swept.choices.clear();
  swept.found.reset();
  swept.broken.emplace_back(rule);
}

/// Gives each candidate with plans of its own: of several lengths, and where fitted models are asked.
class WholePlans {
 public:
  WholePlans(const OpenScenario& open, const std::vector<size_t>&) : open_(open), candidate_(open) {}

  void next(const GoalCheck& goal, dsl::Cursor& cursor, Swept& swept) {
    plans_.clear();
    std::vector<std::string> shorter;  // rules that are broken at other lengths than the longest, which comes last
    for (;; cursor.next()) {
      if (cursor.is_valueless()) return refuse_valueless(cursor, swept);
      shorter.insert(shorter.end(), swept.broken.begin(), swept.broken.end());
      swept.broken.clear();
      s_ = &candidate_.at(cursor);
      for (size_t rule = 0; rule < layout_rule_count(); ++rule)
        if (breaks_layout_rule(rule, *s_)) swept.broken.emplace_back(layout_rule_name(rule));
      if (shorter.empty() && swept.broken.empty()) plans_.push_back(make_plan_of_one(*s_));
      if (cursor.ends_candidate()) break;
    }
    swept.choices = chosen(open_.space, cursor);
    for (const std::string& rule : shorter)
      if (std::ranges::count(swept.broken, rule) == 0) swept.broken.push_back(rule);
    if (!swept.broken.empty()) return swept.found.reset();
    judge_plan(goal, cursor, s_->lengths.shares.empty() ? plans_.front() : mean_plan(*s_, plans_), swept);
  }

 private:
  void refuse_valueless(dsl::Cursor& cursor, Swept& swept) {
    swept.broken.clear();
    refuse(refusal_name(cursor.refusal()), swept);
    for (candidate_.skip(cursor); !cursor.ends_candidate(); candidate_.skip(cursor)) cursor.next();
  }

  void judge_plan(const GoalCheck& goal, dsl::Cursor& cursor, const Plan& plan, Swept& swept) {
    note(*s_, results_of(plan), swept);
    for (const Violation& v : plan.violations) swept.broken.push_back(v.rule);
    judge(open_, goal, cursor, *plan.memory, swept);
  }

  const OpenScenario& open_;
  Candidate candidate_;
  const Scenario* s_ = nullptr;
  std::vector<Plan> plans_;  // by length
};

/// Gives each candidate from the parts that it shares with others.
class SharedPlans {
 public:
  SharedPlans(const OpenScenario& open, const std::vector<size_t>& order)
      : open_(open), choices_(open.space), candidate_(open), evaluator_(open, shared_, order) {
    evaluator_.keep_calls();
  }

  void next(const GoalCheck& goal, dsl::Cursor& cursor, Swept& swept) {
    if (cursor.is_valueless()) {
      candidate_.skip(cursor);
      evaluator_.skip(cursor);
      return refuse(refusal_name(cursor.refusal()), swept);
    }
    const Scenario& s = candidate_.at(cursor);
    evaluator_.follow(cursor);
    choices_.follow(cursor, swept.choices);
    evaluator_.broken_rules(s, rules_);
    for (size_t rule : rules_) swept.broken.emplace_back(layout_rule_name(rule));
    if (!swept.broken.empty()) return swept.found.reset();
    const PlanFigures figures = evaluator_.figures(s);
    note(s, results_of(figures), swept);
    swept.found->results.hidden_comm = evaluator_.hidden_comm();
    judge(open_, goal, cursor, figures.memory, swept);
  }

 private:
  const OpenScenario& open_;
  const Choices choices_;
  Candidate candidate_;
  SharedParts shared_;
  Evaluator evaluator_;
  std::vector<size_t> rules_;  // that the candidate breaks
};

template <class Plans> void sweep_by(const OpenScenario& open, const std::function<bool(const Swept&)>& row) {
  const GoalCheck goal(open, false);
  dsl::Cursor cursor(open.space);
  Plans plans(open, cursor.order());
  for (Swept swept; cursor.next(); ++swept.index) {
    swept.broken.clear();
    plans.next(goal, cursor, swept);
    if (!row(swept)) return;
  }
}

}  // namespace

void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row) {
  const bool shares = open.sample.lengths.shares.empty() && open.sample.fitted.empty();
  return shares ? sweep_by<SharedPlans>(open, row) : sweep_by<WholePlans>(open, row);
}

}  // namespace planner
