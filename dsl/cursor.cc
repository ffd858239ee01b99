#include <algorithm>
#include <numeric>

#include "dsl/record_evaluator.h"
#include "dsl/space.h"

namespace dsl {
namespace {

constexpr size_t kLargestTable = 1 << 14;  // lists of values

std::vector<size_t> order_of_items(const Space& space) {
  std::vector<size_t> order(space.items().size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

}  // namespace

Cursor::Cursor(const Space& space) : Cursor(space, order_of_items(space)) {}

Cursor::Cursor(const Space& space, std::vector<size_t> order)
    : space_(space),
      evaluator_(std::make_unique<RecordEvaluator>(*space.evaluator_)),
      order_(std::move(order)),
      level_of_(order_.size()),
      levels_(order_.size()),
      conditions_at_(std::max<size_t>(1, levels_.size())) {
  for (size_t i = 0; i < levels_.size(); ++i) {
    const size_t item = space.items()[order_[i]].item;
    level_of_[order_[i]] = i;
    levels_[i].item = order_[i];
    levels_[i].quick = quick_count(*evaluator_, item);
    for (size_t j = 0; j < i; ++j)
      if (std::ranges::count(evaluator_->items()[item].reads, space.items()[order_[j]].item) > 0)
        levels_[i].reads.push_back(j);
    if (levels_[i].reads.size() == 1) {
      const size_t values = space.items()[order_[levels_[i].reads.front()]].values.size();
      if (values <= kLargestTable) levels_[i].table.resize(values);
    }
  }
  for (size_t i = 0; i < space.conditions().size(); ++i) {
    conditions_at_[known_at(space.conditions()[i])].push_back(i);
    unasked_from_ = std::max(unasked_from_, known_at(space.conditions()[i]) + 1);
    said_.emplace_back(space.conditions()[i].combinations);
  }
  for (size_t level = 0; level < levels_.size(); ++level) read_behind_.push_back(read_behind(level));
  while (settled_from_ + 1 < levels_.size() && !settles_behind(settled_from_)) ++settled_from_;
}

// The values of a level are those of its item, or computed from levels up to this one.
bool Cursor::settles_behind(size_t level) const {
  if (!counts_behind(level)) return false;
  for (size_t i = level + 1; i < levels_.size(); ++i) {
    if (std::ranges::any_of(levels_[i].reads, [&](size_t read) { return read > level; })) return false;
  }
  return true;
}

Cursor::~Cursor() = default;

void Cursor::split(size_t depth, std::function<bool(int64_t part)> enter) {
  depth_ = std::min(depth, levels_.size());
  enter_ = std::move(enter);
}

// A part begins: whether it is walked.
bool Cursor::entered() {
  part_ = next_part_++;
  return !enter_ || enter_(part_);
}

// nullptr: there are none. Values that depend on nothing open are known; those that depend on one choice are looked up.
const List* Cursor::values_of(size_t level) {
  const OpenItem& item = space_.items()[levels_[level].item];
  if (!item.values.empty()) return &item.values;
  return levels_[level].table.empty() ? computed(level) : looked_up(level);
}

const List* Cursor::looked_up(size_t level) {
  Level& here = levels_[level];
  std::optional<List>& values = here.table[levels_[here.reads.front()].at];
  if (!values) {
    const List* made = computed(level);
    values = made ? *made : List{};
  }
  return values->empty() ? nullptr : &*values;
}

// Arithmetic is computed, the rest cached.
const List* Cursor::computed(size_t level) {
  Level& here = levels_[level];
  if (!here.quick) return remembered(level);
  write_before(level);
  const std::optional<double> count = here.quick->value(*evaluator_);
  if (!count) return nullptr;
  here.own.assign(1, Value{Number{*count, kNone}});
  return &here.own;
}

const List* Cursor::remembered(size_t level) {
  Level& here = levels_[level];
  key_.clear();
  const bool tells =
      std::ranges::all_of(here.reads, [&](size_t read) { return append_word(value_at(levels_[read]), key_); });
  const ValueMemo::Values* found = tells ? here.memo.find(key_) : nullptr;
  if (found) return (here.held = *found).get();
  write_before(level);
  std::optional<List> values = evaluator_->values_now(space_.items()[levels_[level].item].item);
  here.held = values && !values->empty() ? std::make_shared<const List>(std::move(*values)) : nullptr;
  if (tells) here.memo.keep(key_, here.held);
  return here.held.get();
}

bool Cursor::open(size_t level) {
  const OpenItem& item = space_.items()[levels_[level].item];
  levels_[level].at = 0;
  levels_[level].values = values_of(level);
  if (levels_[level].values) return true;
  refusal_ = item.field && item.field->type == Type::count ? Refusal::divisibility : Refusal::value;
  refused_at_ = levels_[level].item;
  return false;
}

void Cursor::write_before(size_t level) {
  for (; written_ < level; ++written_)
    evaluator_->assign(space_.items()[levels_[written_].item].item, value_at(levels_[written_]));
}

void Cursor::settle(size_t level) {
  Level& here = levels_[level];
  written_ = std::min(written_, level);
  here.fails = level > 0 ? levels_[level - 1].fails : std::nullopt;
  if (!here.fails) here.fails = first_failing(level);
  set_ = level + 1;
}

// To the next value of the last level below `level` that has one.
bool Cursor::step_back(size_t& level) {
  while (level > 0) {
    --level;
    if (++levels_[level].at == levels_[level].values->size()) continue;
    changed_ = std::min(changed_, level);
    return true;
  }
  return false;
}

bool Cursor::descend(size_t level, bool fresh) {
  for (;; ++level) {
    if (fresh && !open(level)) {
      set_ = level;
      return level >= depth_ || entered();
    }
    settle(level);
    if (level + 1 == depth_ && !entered()) return false;
    if (level + 1 == levels_.size()) break;
    fresh = true;
  }
  if (const std::optional<size_t> fails = levels_.back().fails) {
    refusal_ = Refusal::where;
    refused_at_ = *fails;
  }
  return true;
}

bool Cursor::next() {
  const bool fresh = !started_;
  started_ = true;
  if (fresh && depth_ == 0) over_ = !entered();
  if (over_) return false;
  size_t level = fresh ? 0 : set_;
  changed_ = levels_.size();
  if (fresh) changed_ = 0;
  if (levels_.empty()) {
    if (const std::optional<size_t> fails = first_failing(0)) refusal_ = Refusal::where, refused_at_ = *fails;
    return fresh;
  }
  for (bool first = fresh;; first = false) {
    if (!first && !step_back(level)) return false;
    refusal_ = Refusal::none;
    if (descend(level, first)) return true;
    level = set_;
  }
}

bool Cursor::ends_candidate() const {
  const std::optional<size_t> together = space_.together();
  if (!together || (is_valueless() && refused_at_ < *together)) return true;
  const Level& level = levels_[level_of_[*together]];
  return level.at + 1 == level.values->size();
}

void Cursor::restart_candidate() {
  const size_t level = level_of_[*space_.together()];
  levels_[level].at = 0;
  changed_ = level;
  refusal_ = Refusal::none;
  descend(level, false);
}

void Cursor::seek(std::span<const uint32_t> at) {
  refusal_ = Refusal::none;
  changed_ = 0;
  started_ = true;
  for (size_t level = 0; level < levels_.size(); ++level) {
    if (!open(level)) {
      set_ = level;
      return;
    }
    levels_[level].at = at[level] % levels_[level].values->size();
    settle(level);
  }
  if (!levels_.empty() && levels_.back().fails) {
    refusal_ = Refusal::where;
    refused_at_ = *levels_.back().fails;
  }
}

int64_t Cursor::weight() const {
  if (!is_valueless()) return 1;
  int64_t weight = 1;
  for (size_t level = set_ + 1; level < levels_.size(); ++level)
    if (levels_[level].item < refused_at_)
      weight *= static_cast<int64_t>(space_.items()[levels_[level].item].values.size());
  return weight;
}

int64_t Cursor::combinations_behind(size_t level) const {
  int64_t combinations = 1;
  for (size_t i = level + 1; i < levels_.size(); ++i) combinations *= static_cast<int64_t>(levels_[i].values->size());
  return combinations;
}

int64_t Cursor::skip_behind(size_t level) {
  int64_t passed = 0;
  for (size_t i = level + 1; i < levels_.size(); ++i) {
    const size_t count = levels_[i].values->size(), left = count - 1 - levels_[i].at;
    levels_[i].at += left;
    written_ = std::min(written_, i);
    const std::optional<size_t> together = space_.together();
    if (!together || levels_[i].item < *together)
      passed = passed * static_cast<int64_t>(count) + static_cast<int64_t>(left);
  }
  return passed;
}

int64_t Cursor::skip_values(size_t level, size_t values) {
  levels_[level].at += values;
  written_ = std::min(written_, level);
  return static_cast<int64_t>(values) * combinations_behind(level);
}

int64_t Cursor::skip_valueless() {
  if (refusal_ != Refusal::divisibility && refusal_ != Refusal::value) return 0;
  const std::optional<size_t> together = space_.together();
  // Parts begin at the levels before `depth_`, and the lengths of one candidate stay together.
  if (set_ <= depth_ || !levels_[set_].quick || (together && refused_at_ > *together)) return 0;
  Level& last = levels_[set_ - 1];
  const size_t next =
      levels_[set_].quick->pass_valueless(*evaluator_, space_.items()[last.item].item, *last.values, last.at + 1);
  const auto passed = static_cast<int64_t>(next - last.at - 1);
  last.at = next - 1;
  written_ = std::min(written_, set_ - 1);
  return passed;
}

std::optional<Value> Cursor::evaluate(const Expression& expression, std::span<const Value> results) {
  write_before(refusal_ == Refusal::divisibility || refusal_ == Refusal::value ? set_ : levels_.size());
  return evaluator_->value_of(expression, results);
}

}  // namespace dsl
