#include "dsl/space.h"

#include <tuple>

#include "dsl/fold.h"
#include "dsl/record_evaluator.h"

namespace dsl {
namespace {

constexpr size_t kMostAsked = 1 << 12;  // combinations of values on which a condition is evaluated once each

}  // namespace

Space::Space(Node tree, const Schema& schema, EvaluateOptions options, Diagnostics& diagnostics)
    : tree_(std::make_unique<Node>(std::move(tree))) {
  if (tree_->broken) return;  // reported already; missing parts of it are not further mistakes
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

// Choices in the order of the text, their inputs before them, items that read only them behind them; the values that
// are together last.
void Space::order_items(const std::string& together, Diagnostics& diagnostics) {
  const std::vector<RecordEvaluator::EvaluatedItem>& all = evaluator_->items();
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
        diagnostics.error(evaluator_->span_of(all[choice]),
                          std::string(all[choice].name) + " is a choice that follows " + together +
                              ", which has several values at once",
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
  const RecordEvaluator::EvaluatedItem& item = evaluator_->items()[index];
  for (size_t read : item.reads) place(read, placed);
  items_.push_back({.path = std::string(item.name),
                    .field = evaluator_->field_of(item),
                    .is_choice = item.is_choice,
                    .span = evaluator_->span_of(item),
                    .values = item.values,
                    .item = index});
}

void Space::sort_conditions() {
  for (const auto& [path, slot] : record_.slots) {
    if (slot.field->type != Type::expression || !slot.field->many || slot.field->asserted) continue;
    for (const Expression& expression : slot.expressions) {
      if (evaluator_->reads_of(*expression.tree).results) {
        result_conditions_.push_back(&expression);
        continue;
      }
      Condition condition{expression, slot.field, -1};
      condition.expression.tree = folded(expression.tree, *evaluator_);
      if (known_truth(*condition.expression.tree) == true) continue;
      const RecordEvaluator::Reads reads = evaluator_->reads_of(*condition.expression.tree);
      for (size_t i = 0; i < items_.size(); ++i)
        if (std::find(reads.open.begin(), reads.open.end(), items_[i].item) != reads.open.end())
          condition.reads.push_back(i), condition.known = static_cast<std::ptrdiff_t>(i);
      condition.combinations = combinations_read(condition);
      conditions_.push_back(condition);
    }
  }
}

// A condition that depends on the lengths of one candidate is evaluated on the longest alone.
size_t Space::combinations_read(const Condition& condition) const {
  size_t combinations = together_ ? 0 : 1;
  for (size_t item : condition.reads)
    combinations = std::min(combinations * items_[item].values.size(), kMostAsked + 1);
  return combinations > kMostAsked ? 0 : combinations;
}

bool Space::leads_nowhere(size_t item) const {
  const OpenItem& own = items_[item];
  if (own.values.empty() || own.together) return false;
  return std::ranges::none_of(items_, [&](const OpenItem& other) {
    return std::ranges::count(evaluator_->items()[other.item].reads, own.item) > 0;
  });
}

bool Space::stands_alone(size_t item) const {
  const auto asks = [&](const Condition& condition) { return std::ranges::count(condition.reads, item) > 0; };
  return leads_nowhere(item) && std::ranges::none_of(conditions_, asks);
}

size_t Space::decided_by(size_t item) const {
  while (!items_[item].is_choice && !items_[item].together) {
    const std::vector<size_t>& reads = evaluator_->items()[items_[item].item].reads;
    const auto is_read = [&](const OpenItem& other) { return std::ranges::count(reads, other.item) > 0; };
    const auto read = std::ranges::find_if(items_, is_read);
    if (std::ranges::count_if(items_, is_read) != 1) break;
    item = static_cast<size_t>(read - items_.begin());
  }
  return item;
}

std::vector<size_t> Space::walk_order(const std::function<int(size_t item)>& rank,
                                      const std::function<bool(size_t item)>& last) const {
  std::vector<size_t> order, alone, behind;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (together_ && i >= *together_) behind.push_back(i);
    else (stands_alone(i) || last(i) ? alone : order).push_back(i);
  }
  std::ranges::stable_sort(alone, {}, rank);
  order.insert(order.end(), alone.begin(), alone.end());
  order.insert(order.end(), behind.begin(), behind.end());
  return order;
}

}  // namespace dsl
