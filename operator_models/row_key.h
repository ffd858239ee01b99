// Rows of a calibration by a key of two words, without a text made of them.
#pragma once

#include <string_view>

namespace operator_models {

/// Returns the row "FIRST<between>SECOND" of a map by text; nullptr if there is none.
template <class Rows> const typename Rows::mapped_type* row_between(const Rows& rows, std::string_view first,
                                                                    char between, std::string_view second) {
  for (const auto& [text, row] : rows) {
    const std::string_view key = text;
    if (key.size() == first.size() + 1 + second.size() && key[first.size()] == between && key.starts_with(first) &&
        key.ends_with(second))
      return &row;
  }
  return nullptr;
}

/// Returns the row of a word; nullptr if there is none.
template <class Rows> const typename Rows::mapped_type* row_named(const Rows& rows, std::string_view word) {
  for (const auto& [text, row] : rows)
    if (text == word) return &row;
  return nullptr;
}

/// Returns the row of the first of these words that has one, else the defaults of its struct.
template <class Rows, class... Words>
const typename Rows::mapped_type& row_or_defaults(const Rows& rows, const Words&... words) {
  static const typename Rows::mapped_type defaults;
  const typename Rows::mapped_type* row = nullptr;
  (void)((row = row_named(rows, words)) || ...);
  return row ? *row : defaults;
}

}  // namespace operator_models
