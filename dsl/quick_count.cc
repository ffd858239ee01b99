#include "dsl/quick_count.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/convert.h"
#include "dsl/number_of.h"
#include "dsl/record_evaluator.h"

namespace dsl {

namespace {

double number_or_none(const Value& value) {
  return number_of(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

// Whether a value is of a size at which it is quick to tell, and no whole number.
bool is_broken(double value) {
  constexpr double kSmall = 1e15;
  return value > -kSmall && value < kSmall && static_cast<double>(static_cast<int64_t>(value)) != value;
}

}  // namespace

void QuickCount::read(const RecordEvaluator& evaluator) {
  numbers_.clear();
  for (size_t item : formula_.slots()) numbers_.push_back(number_or_none(evaluator.items()[item].value));
}

std::optional<double> QuickCount::converted(double value) const {
  if (!is_default_ && is_broken(value)) return std::nullopt;  // most of those that have none
  return converted_count(*field_, value, is_default_);
}

std::optional<double> QuickCount::value(const RecordEvaluator& evaluator) {
  read(evaluator);
  return converted(formula_.value(numbers_));
}

size_t QuickCount::pass_valueless(const RecordEvaluator& evaluator, size_t item, const List& values, size_t from) {
  const auto slot = std::ranges::find(formula_.slots(), item);
  if (slot == formula_.slots().end()) return values.size();  // whatever the item is
  read(evaluator);
  if (!formula_.way_of(static_cast<size_t>(slot - formula_.slots().begin()), numbers_, way_)) return from;
  while (from < values.size() && !converted(Compiled::value_on(way_, number_or_none(values[from])))) ++from;
  return from;
}

std::optional<QuickCount> RecordEvaluator::quick_count(size_t index) {
  const Item& item = items_[index];
  const Field* field = field_of(item);
  if (!field || field->type != Type::count || field->many || item.is_choice || !item.values.empty())
    return std::nullopt;
  const Node* node = file_->layout.places[item.place].node;
  if (node && (node->kind != Node::Kind::scalar || !is_formula(*field, *node))) return std::nullopt;
  const std::vector<ExprPtr> trees = trees_of(index);
  if (trees.size() != 1) return std::nullopt;
  const auto names = [&](const std::string& name) -> std::optional<Compiled::Operand> {
    const auto at = named(name, index);
    if (at == file_->index.end()) return std::nullopt;
    const Item& read = items_[at->second];
    const std::optional<double> number = number_of(read.value);
    if (!number) return std::nullopt;  // a text or a list
    return read.open ? Compiled::Operand{{}, at->second} : Compiled::Operand{number};
  };
  std::optional<Compiled> formula = Compiled::compile(*trees.front(), names);
  if (!formula) return std::nullopt;
  return QuickCount(std::move(*formula), *field, node == nullptr);
}

}  // namespace dsl
