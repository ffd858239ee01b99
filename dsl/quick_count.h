// The value of a count that follows from other fields by arithmetic ("cluster.gpus / (tp * pp)"). No message if there
// is no value.
#pragma once

#include <optional>
#include <vector>

#include "dsl/compiled.h"
#include "dsl/record.h"

namespace dsl {

class RecordEvaluator;

class QuickCount {
 public:
  /// The slots of `formula` are items of the evaluator.
  QuickCount(Compiled formula, const Field& field, bool is_default)
      : formula_(std::move(formula)), field_(&field), is_default_(is_default) {}

  /// Returns the same as `values_now` for the assigned values; nullopt: no value that the field can hold.
  std::optional<double> value(const RecordEvaluator& evaluator);
  /// Skips values of `item`, from position `from` on, for which there is no value either. Returns the position of the
  /// first value not skipped. REQUIRES: there is no value now.
  size_t pass_valueless(const RecordEvaluator& evaluator, size_t item, const List& values, size_t from);

 private:
  void read(const RecordEvaluator& evaluator);
  std::optional<double> converted(double value) const;

  Compiled formula_;
  const Field* field_;
  bool is_default_;
  std::vector<double> numbers_;             // of the slots
  std::vector<Compiled::FormulaLink> way_;  // of an item's number
};

/// A fast way to the single value of a count in `values_now`, if that is arithmetic.
std::optional<QuickCount> quick_count(RecordEvaluator& evaluator, size_t item);

}  // namespace dsl
