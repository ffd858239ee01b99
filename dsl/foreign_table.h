// Tables of profilers, which lack what is read here, by how they begin.
#pragma once

#include <string_view>

namespace dsl {

struct ForeignTable {
  std::string_view head;
  const char *what, *instead;  // "a table of `nsys stats`", and what can be given
};

/// Returns the table that a text begins like, or null.
const ForeignTable* find_foreign_table(std::string_view text);

}  // namespace dsl
