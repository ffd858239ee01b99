// Names that a word of the command line may have been meant for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/similar.h"

namespace cli {

/// The names of the rows of a table, in their order.
template <class Rows> std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// ", did you mean 'X'?", or "" where no name is like the word.
inline std::string or_meant(std::string_view word, const std::vector<std::string>& names) {
  const std::string hint = dsl::did_you_mean(word, names);
  return hint.empty() ? "" : ", " + hint;
}

}  // namespace cli
