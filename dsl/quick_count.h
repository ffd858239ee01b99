// The one value of a count that follows from others by arithmetic ("cluster.gpus / (tp * pp)"), without a message where
// there is none.
#pragma once

#include <optional>

#include "dsl/compiled.h"
#include "dsl/fields.h"

namespace dsl {

class RecordEvaluator;

class QuickCount {
 public:
  /// The slots of `formula` are items of the evaluator.
  QuickCount(Compiled formula, const Field& field, bool is_default)
      : formula_(std::move(formula)), field_(&field), is_default_(is_default) {}

  /// Returns what `RecordEvaluator::values_now` does, of what was assigned; nullopt: no value that the field can hold.
  std::optional<double> value(const RecordEvaluator& evaluator) const;

 private:
  Compiled formula_;
  const Field* field_;
  bool is_default_;
};

}  // namespace dsl
