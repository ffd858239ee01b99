#include "planner/studies/whatif/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/plan/goals.h"
#include "planner/plan/missing_price.h"
#include "planner/plan/violations.h"
#include "planner/search/candidate.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

dsl::Span place_of(const OpenScenario& open, const char* path) {
  const dsl::Slot* slot = open.space.record().find(path);
  return slot ? slot->span : dsl::Span{};
}

constexpr int64_t kMostLooked = 1'000'000;  // combinations that are looked at for examples

/// What rules that look at a costed candidate want.
struct CostedRule {
  const char *rule, *path, *message;
  bool in_money = false;  // may be for want of a price
};
constexpr std::array kCosted{
    CostedRule{kFiniteRule, nullptr, "the step or the memory is not a finite number: a field is unrealistically large"},
    CostedRule{"memory", nullptr, "a stage needs more than the memory of a GPU"},
    CostedRule{"host-memory", nullptr, "the ranks of a node keep more than the memory of their host"},
    CostedRule{"deadline", "goal.deadline", "the run takes longer than the deadline, or has no length"},
    CostedRule{"budget", "goal.budget", "the run costs more than the budget, or has no price", true},
    CostedRule{"goal", "goal.minimize", "the goal has no value", true},
};

/// Obstacles identified by a place in the space, each with its number in a walk.
struct Sought {
  Obstacle obstacle;
  dsl::Refusal refusal = dsl::Refusal::none;  // none: a rule of the layout
  size_t at = 0;
  bool shown = false;  // by an example, where a walk without costing can find one
};

std::vector<Sought> unmet_conditions(const OpenScenario& open, const SearchResult& result) {
  std::vector<const dsl::Expression*> conditions;
  for (const dsl::Condition& c : open.space.conditions()) conditions.push_back(&c.expression);
  const size_t of_fields = conditions.size();
  const auto rule_of = [&](size_t i) { return i < of_fields ? refusal_name(open.space.conditions()[i]) : "where"; };
  for (const dsl::Expression* c : open.space.result_conditions()) conditions.push_back(c);
  std::vector<Sought> out;
  for (size_t i = 0; i < result.unmet.size(); ++i) {
    if (result.unmet[i] == 0) continue;
    out.push_back({.obstacle = {.rule = rule_of(i),
                                .candidates = result.unmet[i],
                                .place = conditions[i]->span,
                                .message = unmet_text(*conditions[i]) + (i < of_fields ? "" : " for their results")},
                   .refusal = dsl::Refusal::where,
                   .at = i});
  }
  return out;
}

std::vector<Sought> valueless_items(const OpenScenario& open, const SearchResult& result) {
  std::vector<Sought> out;
  for (size_t i = 0; i < result.valueless.size(); ++i) {
    if (result.valueless[i] == 0) continue;
    const dsl::OpenItem& item = open.space.items()[i];
    const bool count = item.field && item.field->type == dsl::Type::count;
    out.push_back({.obstacle = {.rule = count ? "divisibility" : "value",
                                .candidates = result.valueless[i],
                                .place = item.span,
                                .message = item.path + (count ? " comes to no whole number that it can hold"
                                                              : " has no value that it can hold")},
                   .refusal = count ? dsl::Refusal::divisibility : dsl::Refusal::value,
                   .at = i});
  }
  return out;
}

std::vector<Sought> other_rules(const OpenScenario& open, const SearchResult& result) {
  std::vector<Sought> out;
  const std::string lacks = missing_price(open.sample);
  for (const auto& [rule, candidates] : result.rejected) {
    if (rule == "where" || rule == kProgramRule || rule == "divisibility" || rule == "value") continue;
    Sought sought{.obstacle = {.rule = rule, .candidates = candidates}};
    for (const CostedRule& costed : kCosted)
      if (rule == costed.rule) {
        sought.obstacle.message = costed.message;
        if (costed.in_money && !lacks.empty()) sought.obstacle.message += ": " + lacks;
        if (costed.path) sought.obstacle.place = place_of(open, costed.path);
      }
    out.push_back(std::move(sought));
  }
  return out;
}

/// The combination under the cursor, without the other lengths of its candidate: they are still to come.
Scenario alone(Scenario s) {
  s.lengths = {};
  return s;
}

/// Has no example yet that a walk without costing could find.
bool open_still(const Sought& sought, size_t conditions_over_fields) {
  if (sought.shown) return false;
  if (sought.refusal == dsl::Refusal::none) return sought.obstacle.message.empty();
  return sought.refusal != dsl::Refusal::where || sought.at < conditions_over_fields;
}

std::vector<std::pair<std::string, dsl::Value>> choices_before(const dsl::Space& space, const dsl::Cursor& cursor,
                                                               size_t end) {
  std::vector<std::pair<std::string, dsl::Value>> out;
  for (size_t i = 0; i < end; ++i)
    if (space.items()[i].is_choice) out.emplace_back(space.items()[i].path, cursor.value(i));
  return out;
}

/// Gives an obstacle of this candidate, if it has none, its example. A layout's violation says what it wants.
void show(const OpenScenario& open, const dsl::Cursor& cursor, Candidate& candidate, std::vector<Sought>& all) {
  const dsl::Refusal refusal = cursor.refusal();
  const bool layout = refusal == dsl::Refusal::none, valueless = !layout && refusal != dsl::Refusal::where;
  const Scenario* s = layout ? &candidate.at(cursor) : nullptr;
  if (!layout) candidate.skip(cursor);
  const char* rule = layout ? broken_layout_rule(*s) : nullptr;
  if (layout && !rule) return;
  for (Sought& sought : all) {
    const bool its = layout ? sought.obstacle.rule == rule : sought.at == cursor.refused_at();
    if (sought.refusal != refusal || !its || sought.shown) continue;
    sought.shown = true;
    if (layout) sought.obstacle.message = layout_violations(alone(*s)).front().message;
    const size_t end = valueless ? cursor.refused_at() : open.space.items().size();
    sought.obstacle.example = choices_before(open.space, cursor, end);
  }
}

/// What a rule wants of which no layout among the first was an example.
std::string unseen(const std::string& rule) {
  if (rule == kFittedRule) return "the fitted model of an operator is not above zero where it is asked";  // when costed
  return fmt::format("no example among the first {} combinations", kMostLooked);
}

}  // namespace

std::vector<Obstacle> obstacles(const OpenScenario& open, const SearchResult& result) {
  std::vector<Sought> all = unmet_conditions(open, result);
  for (std::vector<Sought>& more : std::array{valueless_items(open, result), other_rules(open, result)})
    std::move(more.begin(), more.end(), std::back_inserter(all));
  const size_t over_fields = open.space.conditions().size();
  const auto seeks = [&](const Sought& sought) { return open_still(sought, over_fields); };
  dsl::Cursor cursor(open.space);
  Candidate candidate(open);
  for (int64_t looked = 0; looked < kMostLooked && std::ranges::any_of(all, seeks) && cursor.next(); ++looked)
    show(open, cursor, candidate, all);
  for (Sought& sought : all)
    if (sought.obstacle.message.empty()) sought.obstacle.message = unseen(sought.obstacle.rule);
  std::stable_sort(all.begin(), all.end(),
                   [](const Sought& a, const Sought& b) { return a.obstacle.candidates > b.obstacle.candidates; });
  std::vector<Obstacle> out;
  for (Sought& sought : all) out.push_back(std::move(sought.obstacle));
  return out;
}

}  // namespace planner
