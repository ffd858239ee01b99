// What an expression yields: nothing, a boolean, a number with a dimension, a string, or a list.
#pragma once

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

}  // namespace dsl
