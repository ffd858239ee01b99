#include "dsl/quick_count.h"

#include <algorithm>
#include <limits>

#include "dsl/convert.h"
#include "dsl/record_evaluator.h"

namespace dsl {
namespace {

double number_or_none(const Value& value) {
  return number_of(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

// Whether a value of a size for which the check is cheap is not a whole number.
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

std::optional<QuickCount> quick_count(RecordEvaluator& evaluator, size_t item) {
  std::optional<Compiled> formula = evaluator.compiled_count(item);
  if (!formula) return std::nullopt;
  const WrittenField& place = *evaluator.place_of(evaluator.items()[item]);
  return QuickCount(*std::move(formula), *place.field, place.node == nullptr);
}

}  // namespace dsl
