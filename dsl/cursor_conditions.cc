// Conditions of a walk: each is evaluated once per combination of the values that it reads, and its refusals are
// counted.
#include <algorithm>

#include "dsl/record_evaluator.h"
#include "dsl/space.h"

namespace dsl {
namespace {

constexpr size_t kMostCounted = 64;  // counting evaluates conditions on at most this many combinations

}  // namespace

// The deepest of the levels that it reads; the first where it reads none.
size_t Cursor::known_at(const Condition& condition) const {
  size_t level = 0;
  for (size_t item : condition.reads) level = std::max(level, level_of_[item]);
  return level;
}

bool Cursor::is_asked(size_t level) const {
  return std::ranges::any_of(space_.conditions(), [&](const Condition& condition) {
    return std::ranges::count(condition.reads, order_[level]) > 0;
  });
}

bool Cursor::holds(size_t condition) {
  const Condition& of = space_.conditions()[condition];
  const auto ask = [&] {
    write_before(std::min(known_at(of) + 1, levels_.size()));
    const std::optional<Value> holds = evaluator_->value_of(of.expression, {});
    return holds && std::get<bool>(holds->v) ? KnownTruth::holds : KnownTruth::fails;
  };
  if (said_[condition].empty()) return ask() == KnownTruth::holds;
  size_t place = 0;
  for (size_t item : of.reads) place = place * space_.items()[item].values.size() + at(item);
  KnownTruth& said = said_[condition][place];
  if (said == KnownTruth::nothing) said = ask();
  return said == KnownTruth::holds;
}

std::optional<size_t> Cursor::first_failing(size_t level) {
  for (size_t condition : conditions_at_[level])
    if (!holds(condition)) return condition;
  return std::nullopt;
}

// The levels behind this one that conditions read which are known there.
std::vector<size_t> Cursor::read_behind(size_t level) const {
  std::vector<size_t> levels;
  for (size_t at = level + 1; at < unasked_from_; ++at)
    for (size_t condition : conditions_at_[at])
      for (size_t item : space_.conditions()[condition].reads)
        if (level_of_[item] > level) levels.push_back(level_of_[item]);
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

// Whether the known conditions behind a level read few combinations there.
bool Cursor::counts_behind(size_t level) const {
  for (size_t at = level + 1; at < unasked_from_; ++at)
    for (size_t condition : conditions_at_[at])
      if (said_[condition].empty()) return false;
  size_t combinations = 1;
  for (size_t asked : read_behind_[level]) combinations = std::min(combinations * values_in(asked), kMostCounted + 1);
  return combinations <= kMostCounted;
}

size_t Cursor::whole_behind(size_t level) const {
  if (level + 1 >= unasked_from_) return level;
  size_t whole = levels_.size() - 1;
  while (whole > level && levels_[whole].at == 0) --whole;
  return whole;
}

std::span<const Cursor::Unmet> Cursor::unmet_behind(size_t level) {
  unmet_.clear();
  const std::vector<size_t>& asked = read_behind_[level];
  if (asked.empty()) return unmet_;
  std::vector<size_t> here;
  size_t tried = 1;
  for (size_t each : asked) here.push_back(levels_[each].at), tried *= values_in(each);
  const int64_t each = combinations_behind(level) / static_cast<int64_t>(tried);
  for (size_t n = 0; n < tried; ++n) {
    size_t rest = n;
    for (size_t at : asked) levels_[at].at = rest % values_in(at), rest /= values_in(at);
    written_ = std::min(written_, asked.front());
    std::optional<size_t> fails;
    for (size_t at = level + 1; at < unasked_from_ && !fails; ++at) fails = first_failing(at);
    if (!fails) continue;
    const auto found = std::ranges::find(unmet_, *fails, &Unmet::condition);
    if (found != unmet_.end()) found->combinations += each;
    else unmet_.push_back({*fails, each});
  }
  for (size_t i = 0; i < asked.size(); ++i) levels_[asked[i]].at = here[i];
  written_ = std::min(written_, asked.front());
  return unmet_;
}

}  // namespace dsl
