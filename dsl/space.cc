#include "dsl/space.h"

#include <algorithm>
#include <tuple>

#include "dsl/record_evaluator.h"

namespace dsl {

Space::Space(Node tree, const Schema& schema, EvaluateOptions options, Diagnostics& diagnostics)
    : tree_(std::make_unique<Node>(std::move(tree))) {
  if (tree_->broken) return;  // told already; what is missing of it is no mistake of its own
  options.keep_open = true;
  evaluator_ = std::make_unique<RecordEvaluator>(*tree_, schema, options);
  record_ = evaluator_->run();
  tell_in_order(evaluator_->diagnostics(), diagnostics);
  if (diagnostics.has_errors()) return;
  order_items(options.together, diagnostics);
  sort_conditions();
}

Space::~Space() = default;
Space::Space(Space&&) noexcept = default;

/// Whether the item is computed from the other.
bool Space::follows(size_t item, size_t other) const {
  const std::vector<size_t>& reads = evaluator_->items()[item].reads;
  return std::any_of(reads.begin(), reads.end(), [&](size_t i) { return i == other || follows(i, other); });
}

// Choices in the order of the text, what they read before them, what reads only them behind them; the values that are
// together last.
void Space::order_items(const std::string& together, Diagnostics& diagnostics) {
  const std::vector<RecordEvaluator::Item>& all = evaluator_->items();
  std::vector<size_t> choices;
  std::optional<size_t> last;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].open || !all[i].is_choice) continue;
    if (!together.empty() && all[i].name == together) last = i;
    else choices.push_back(i);
  }
  const Source* file = tree_->span.source;
  const auto key = [&](size_t i) {
    const Span span = evaluator_->span_of(all[i]);
    return std::tuple(span.source != file, span.source ? span.source->number : 0, span.line, span.column);
  };
  std::stable_sort(choices.begin(), choices.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<bool> placed(all.size(), false);
  if (last) {
    for (size_t choice : choices)
      if (follows(choice, *last))
        diagnostics.error(
            evaluator_->span_of(all[choice]),
            all[choice].name + " is a choice that follows " + together + ", which has several values at once",
            "write one expression, or choices that do not read it");
    if (diagnostics.has_errors()) return;
    choices.push_back(*last);
  }
  for (size_t choice : choices) {
    place(choice, placed);
    const auto ready = [&](size_t i) {
      return all[i].open && !all[i].is_choice && !placed[i] &&
             std::all_of(all[i].reads.begin(), all[i].reads.end(), [&](size_t read) { return placed[read]; });
    };
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < all.size(); ++i)
        if (ready(i)) place(i, placed), more = true;
    }
  }
  for (size_t i = 0; last && i < items_.size(); ++i)
    if (items_[i].item == *last) items_[i].is_choice = false, items_[i].together = true, together_ = i;
}

void Space::place(size_t index, std::vector<bool>& placed) {
  if (placed[index]) return;
  placed[index] = true;
  const RecordEvaluator::Item& item = evaluator_->items()[index];
  for (size_t read : item.reads) place(read, placed);
  items_.push_back({.path = item.name,
                    .field = evaluator_->field_of(item),
                    .is_choice = item.is_choice,
                    .span = evaluator_->span_of(item),
                    .values = item.values,
                    .item = index});
}

void Space::sort_conditions() {
  for (const auto& [path, slot] : record_.slots) {
    if (slot.field->type != Type::expression || !slot.field->many) continue;
    for (const Expression& expression : slot.expressions) {
      const RecordEvaluator::Reads reads = evaluator_->reads_of(*expression.tree);
      if (reads.results) {
        result_conditions_.push_back(&expression);
        continue;
      }
      Condition condition{&expression, -1};
      for (size_t i = 0; i < items_.size(); ++i)
        if (std::find(reads.open.begin(), reads.open.end(), items_[i].item) != reads.open.end())
          condition.known = static_cast<std::ptrdiff_t>(i);
      conditions_.push_back(condition);
    }
  }
}

Cursor::Cursor(const Space& space)
    : space_(space),
      evaluator_(std::make_unique<RecordEvaluator>(*space.evaluator_)),
      levels_(space.items().size()),
      conditions_at_(std::max<size_t>(1, levels_.size())) {
  for (size_t i = 0; i < levels_.size(); ++i) {
    const size_t item = space.items()[i].item;
    levels_[i].quick = evaluator_->quick_count(item);
    for (size_t j = 0; j < i; ++j)
      if (std::ranges::count(evaluator_->items()[item].reads, space.items()[j].item) > 0) levels_[i].reads.push_back(j);
  }
  for (size_t i = 0; i < space.conditions().size(); ++i)
    conditions_at_[static_cast<size_t>(std::max<std::ptrdiff_t>(0, space.conditions()[i].known))].push_back(i);
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

// nullptr: there are none. What depends on nothing open is known, what is arithmetic computed, the rest remembered.
const List* Cursor::values_of(size_t level) {
  const OpenItem& item = space_.items()[level];
  if (!item.values.empty()) return &item.values;
  Level& here = levels_[level];
  if (!here.quick) return remembered(level);
  const std::optional<double> count = here.quick->value(*evaluator_);
  if (!count) return nullptr;
  here.own.assign(1, Value{Number{*count, kNone}});
  return &here.own;
}

const List* Cursor::remembered(size_t level) {
  Level& here = levels_[level];
  key_.clear();
  const bool tells = std::ranges::all_of(here.reads, [&](size_t read) { return append_word(value(read), key_); });
  const ValueMemo::Values* found = tells ? here.memo.find(key_) : nullptr;
  if (found) return (here.held = *found).get();
  std::optional<List> values = evaluator_->values_now(space_.items()[level].item);
  here.held = values && !values->empty() ? std::make_shared<const List>(std::move(*values)) : nullptr;
  if (tells) here.memo.keep(key_, here.held);
  return here.held.get();
}

bool Cursor::open(size_t level) {
  const OpenItem& item = space_.items()[level];
  levels_[level].at = 0;
  levels_[level].values = values_of(level);
  if (levels_[level].values) return true;
  refusal_ = item.field && item.field->type == Type::count ? Refusal::divisibility : Refusal::value;
  refused_at_ = level;
  return false;
}

std::optional<size_t> Cursor::first_failing(size_t level) {
  for (size_t i : conditions_at_[level]) {
    const std::optional<Value> holds = evaluator_->value_of(*space_.conditions()[i].expression, {});
    if (!holds || !std::get<bool>(holds->v)) return i;
  }
  return std::nullopt;
}

void Cursor::settle(size_t level) {
  Level& here = levels_[level];
  evaluator_->assign(space_.items()[level].item, (*here.values)[here.at]);
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

std::optional<Value> Cursor::evaluate(const Expression& expression, std::span<const Value> results) {
  return evaluator_->value_of(expression, results);
}

}  // namespace dsl
