// A text in small letters: names are compared so. Words in capitals, which nobody replaced.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "dsl/raw_text.h"

namespace dsl {

/// Letters of ASCII become small ones, all others stay.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), small);
  return text;
}

/// Whether a name asks for a value: FILL_IN, TODO. No name of ours has capitals alone.
inline bool is_placeholder(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c == small(c) && c != '_'; });
}

}  // namespace dsl
