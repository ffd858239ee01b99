#include "planner/search/rule_memo.h"

#include <algorithm>
#include <utility>

#include "planner/plan/violations.h"
#include "planner/scenario/field_setter.h"

namespace planner {
namespace {

constexpr size_t kNoEnd = static_cast<size_t>(-1);
constexpr double kMostTried = 100;  // combinations of values on which a rule is evaluated

}  // namespace

std::vector<size_t> items_read(const OpenScenario& open, size_t rule) {
  std::vector<size_t> items;
  for (size_t i = 0; i < open.space.items().size(); ++i) {
    const dsl::OpenItem& item = open.space.items()[i];
    if (item.field && layout_rule_reads(rule, item.path, open)) items.push_back(i);
  }
  return items;
}

bool never_broken(const OpenScenario& open, size_t rule) {
  const std::vector<size_t> items = items_read(open, rule);
  if (items.empty()) return !breaks_layout_rule(rule, open.sample);
  double combinations = 1;
  for (size_t item : items) combinations *= static_cast<double>(open.space.items()[item].values.size());
  if (combinations < 1 || combinations > kMostTried) return false;
  Scenario s = open.sample;
  std::vector<dsl::Setter> setters;
  for (size_t item : items) setters.push_back(field_setter(s, open.space.items()[item].path));
  for (size_t n = 0; n < static_cast<size_t>(combinations); ++n) {
    size_t rest = n;
    for (size_t i = 0; i < items.size(); ++i) {
      const dsl::List& values = open.space.items()[items[i]].values;
      setters[i](values[rest % values.size()]);
      rest /= values.size();
    }
    if (breaks_layout_rule(rule, s)) return false;
  }
  return true;
}

RuleMemo::RuleMemo(const OpenScenario& open, const std::vector<size_t>& order, const std::vector<size_t>& deciding) {
  for (size_t number = 0; number < layout_rule_count(); ++number) {
    rules_.emplace_back().number = number;
    if (!never_broken(open, number)) read(rules_.back(), open, order, deciding);
  }
}

void RuleMemo::read(MemoRule& rule, const OpenScenario& open, const std::vector<size_t>& order,
                    const std::vector<size_t>& deciding) {
  size_t read_at_deepest = 0;
  for (size_t level = 0; level < order.size(); ++level) {
    const dsl::OpenItem& item = open.space.items()[order[level]];
    if (!item.field || !layout_rule_reads(rule.number, item.path, open)) continue;
    const size_t decides = deciding[level];
    if (rule.levels.empty() || decides > rule.level) rule.level = decides, read_at_deepest = 0;
    if (decides == rule.level) ++read_at_deepest;
    rule.levels.push_back(decides);
    rule.item = order[rule.level];
  }
  if (rule.levels.empty()) return;
  const dsl::OpenItem& deepest = open.space.items()[rule.item];
  if (read_at_deepest == 1 && deepest.field && Candidate::stands_by_itself(deepest))
    rule.values = deepest.values.size();
  for (size_t level : rule.levels)
    if (!rule.has_by_value(level)) rule.verdicts.reads(level);
}

std::vector<RuleMemo::RuleVerdict>& RuleMemo::verdicts(MemoRule& rule, const LevelWords& words) {
  auto [verdicts, is_new] = rule.verdicts.at(words, {});
  if (is_new) verdicts.resize(std::max<size_t>(1, rule.values));
  return verdicts;
}

bool RuleMemo::breaks(MemoRule& rule, const Scenario& s, const LevelWords& words) {
  RuleVerdict& verdict = verdicts(rule, words)[rule.values > 0 ? words[rule.level] : 0];
  if (verdict == RuleVerdict::unknown)
    verdict = breaks_layout_rule(rule.number, s) ? RuleVerdict::broken : RuleVerdict::holds;
  return verdict == RuleVerdict::broken;
}

// Whether the scenario breaks a rule with another value of the item that the entries of `verdicts` are for.
bool RuleMemo::breaks_with(const MemoRule& rule, std::vector<RuleVerdict>& verdicts, size_t value, size_t now,
                           Candidate& candidate) {
  RuleVerdict& verdict = verdicts[value];
  if (verdict == RuleVerdict::unknown) {
    const bool broken = breaks_layout_rule(rule.number, candidate.put(rule.item, value));
    candidate.put(rule.item, now);
    verdict = broken ? RuleVerdict::broken : RuleVerdict::holds;
  }
  return verdict == RuleVerdict::broken;
}

// Most rules read nothing that is open, and hold.
void RuleMemo::leave_out_what_holds(const Scenario& s, const LevelWords& words) {
  asked_ = true;
  std::erase_if(rules_, [&](MemoRule& rule) { return rule.levels.empty() && !breaks(rule, s, words); });
  reading_.resize(words.size() + 1);
  for (size_t at = 0; at < rules_.size(); ++at)
    for (size_t level = 0; level < words.size(); ++level)
      if (!rules_[at].levels.empty() && std::ranges::max(rules_[at].levels) >= level) reading_[level].push_back(at);
}

size_t RuleMemo::first_broken(const Scenario& s, const LevelWords& words) {
  if (!asked_) leave_out_what_holds(s, words);
  const size_t held = std::exchange(held_, 0);
  const uint64_t seen = std::exchange(seen_, words.now());
  // Of the rules that held, those that read nothing new go on holding.
  for (size_t at : reading_[words.first_changed(seen)]) {
    if (at >= held) break;
    if (breaks(rules_[at], s, words)) return held_ = at, rules_[at].number;
  }
  for (held_ = held; held_ < rules_.size(); ++held_)
    if (breaks(rules_[held_], s, words)) return rules_[held_].number;
  return layout_rule_count();
}

void RuleMemo::all_broken(const Scenario& s, const LevelWords& words, std::vector<size_t>& broken) {
  broken.clear();
  const size_t first = first_broken(s, words);
  if (first == layout_rule_count()) return;
  for (MemoRule& rule : rules_)
    if (rule.number >= first && breaks(rule, s, words)) broken.push_back(rule.number);
}

// Rules before it that do not read the level hold, and go on holding.
size_t RuleMemo::also_broken(size_t number, size_t level, Candidate& candidate, const LevelWords& words) {
  const size_t now = words[level];
  size_t end = kNoEnd;
  for (MemoRule& rule : rules_) {
    if (rule.number > number) break;
    if (std::ranges::count(rule.levels, level) == 0) continue;
    if (!rule.has_by_value(level)) return 0;
    std::vector<RuleVerdict>& said = verdicts(rule, words);
    end = std::min(end, said.size());
    for (size_t value = now + 1; value < end; ++value)
      if (breaks_with(rule, said, value, now, candidate) != (rule.number == number)) end = value;
  }
  return end == kNoEnd ? 0 : end - now - 1;
}

size_t RuleMemo::bytes() const {
  size_t bytes = 0;
  for (const MemoRule& rule : rules_) bytes += rule.verdicts.bytes() + rule.verdicts.size() * rule.values;
  return bytes;
}

void RuleMemo::clear() {
  held_ = 0;
  for (MemoRule& rule : rules_) rule.verdicts.clear();
}

}  // namespace planner
