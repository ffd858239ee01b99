// A value as arithmetic sees it.
#pragma once

#include <optional>

#include "dsl/value.h"

namespace dsl {

/// Returns a number's value in SI units, of a truth 0 or 1; nullopt: it is neither.
inline std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value.v)) return number->value;
  if (const auto* truth = std::get_if<bool>(&value.v)) return *truth ? 1 : 0;
  return std::nullopt;
}

}  // namespace dsl
