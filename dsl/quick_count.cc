#include "dsl/quick_count.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/convert.h"
#include "dsl/number_of.h"
#include "dsl/record_evaluator.h"

namespace dsl {

std::optional<double> QuickCount::value(const RecordEvaluator& evaluator) const {
  std::vector<double> numbers;
  for (size_t item : formula_.slots())
    numbers.push_back(number_of(evaluator.items()[item].value).value_or(std::numeric_limits<double>::quiet_NaN()));
  return converted_count(*field_, formula_.value(numbers), is_default_);
}

std::optional<QuickCount> RecordEvaluator::quick_count(size_t index) {
  const Item& item = items_[index];
  const Field* field = field_of(item);
  if (!field || field->type != Type::count || field->many || item.is_choice || !item.values.empty())
    return std::nullopt;
  const Node* node = layout_.places[item.place].node;
  if (node && (node->kind != Node::Kind::scalar || !is_formula(*field, *node))) return std::nullopt;
  const std::vector<ExprPtr> trees = trees_of(index);
  if (trees.size() != 1) return std::nullopt;
  const auto names = [&](const std::string& name) -> std::optional<Compiled::Operand> {
    const auto at = index_.find(name);
    if (at == index_.end()) return std::nullopt;
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
