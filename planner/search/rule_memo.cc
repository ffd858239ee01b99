#include "planner/search/rule_memo.h"

#include "planner/plan/violations.h"

namespace planner {

RuleMemo::RuleMemo(const OpenScenario& open, const std::vector<size_t>& order) : open_(open), order_(order) {
  for (size_t number = 0; number < layout_rule_count(); ++number) rules_.emplace_back().number = number;
}

void RuleMemo::reads(size_t level) {
  const std::string& path = open_.space.items()[order_[level]].path;
  for (Rule& rule : rules_) {
    if (!layout_rule_reads(rule.number, path, open_.sample)) continue;
    rule.varies = true;
    rule.broken.reads(level);
  }
}

void RuleMemo::changed(size_t from) {
  for (Rule& rule : rules_) rule.broken.changed(from);
}

inline bool RuleMemo::breaks(Rule& rule, const Scenario& s, const KeyWords& words) {
  if (const bool* known = rule.broken.at_hand()) return *known;
  return ask(rule, s, words);
}

bool RuleMemo::ask(Rule& rule, const Scenario& s, const KeyWords& words) {
  bool is_new = false;
  bool& broken = rule.broken.at(words, {}, is_new);
  if (is_new) broken = breaks_layout_rule(rule.number, s);
  return broken;
}

// Most rules read nothing that is open, and hold.
void RuleMemo::leave_out_what_holds(const Scenario& s, const KeyWords& words) {
  asked_ = true;
  std::erase_if(rules_, [&](Rule& rule) { return !rule.varies && !breaks(rule, s, words); });
}

size_t RuleMemo::first_broken(const Scenario& s, const KeyWords& words) {
  if (!asked_) leave_out_what_holds(s, words);
  for (Rule& rule : rules_)
    if (breaks(rule, s, words)) return rule.number;
  return layout_rule_count();
}

void RuleMemo::all_broken(const Scenario& s, const KeyWords& words, std::vector<size_t>& broken) {
  broken.clear();
  const size_t first = first_broken(s, words);
  if (first == layout_rule_count()) return;
  for (Rule& rule : rules_)
    if (rule.number >= first && breaks(rule, s, words)) broken.push_back(rule.number);
}

size_t RuleMemo::bytes() const {
  size_t bytes = 0;
  for (const Rule& rule : rules_) bytes += rule.broken.bytes();
  return bytes;
}

void RuleMemo::clear() {
  for (Rule& rule : rules_) rule.broken.clear();
}

}  // namespace planner
