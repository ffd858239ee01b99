// A text in small letters: names are compared so.
#pragma once

#include <algorithm>
#include <string>

#include "dsl/raw_text.h"

namespace dsl {

/// Letters of ASCII become small ones, all others stay.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), small);
  return text;
}

}  // namespace dsl
