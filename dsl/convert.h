// Converts the value of an expression to the type of a field.
#pragma once

#include "dsl/record.h"

namespace dsl {

/// The origin of a value: messages name it, and leniency depends on it.
struct Origin {
  std::string path;
  Span span;
  bool is_default = false;
  std::string text = {};  // as it is written

  /// The text is one number, no formula.
  bool is_plain() const;
};

/// `raw` as a single value of the field: its type, dimension and range checked. nullopt: diagnosed.
std::optional<Value> convert(const Field& field, const Value& raw, const Origin& origin, Diagnostics& diagnostics);

/// `convert` of a plain number as a count, without a message. NaN: no value.
std::optional<double> converted_count(const Field& field, double raw, bool is_default);

/// "a whole number", "bytes per second", "one of none, selective, full", ...
std::string expectation(const Field& field);
/// "expected bytes for shop.drive, got 8".
std::string mismatch(const Field& field, const std::string& path, const std::string& got);
/// Which units a quantity takes, for the hint of a message.
std::string unit_hint(const Field& field);

}  // namespace dsl
