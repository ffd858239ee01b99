// The value of an expression: null, a boolean, a number with a dimension, a string, or a list.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/quantity.h"

namespace dsl {

struct Number {
  double value = 0;  // SI base units
  Dim dim;           // kNone: a plain number
  friend bool operator==(const Number&, const Number&) = default;
};

struct Value;
using List = std::vector<Value>;

struct Value {
  std::variant<std::monostate, bool, Number, std::string, List> v;
  bool is_null() const { return std::holds_alternative<std::monostate>(v); }
  friend bool operator==(const Value&, const Value&) = default;
};

/// Returns a number's value in SI units, of a truth 0 or 1; nullopt: it is neither.
inline std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value.v)) return number->value;
  if (const auto* truth = std::get_if<bool>(&value.v)) return *truth ? 1 : 0;
  return std::nullopt;
}

}  // namespace dsl
