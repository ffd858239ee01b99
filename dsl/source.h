// Source texts, and places in them.
#pragma once

#include <string>

namespace dsl {

/// A text and where it came from. Outlives every `Span` into it (see `Sources`).
struct Source {
  std::string name;  // as shown in messages: "a.yaml", "<stdin>", "--set", "catalog:teas/green.yaml"
  std::string text;
  std::string directory;  // relative names in this text start here
  size_t number = 0;      // of several --set: which
};

/// `length` bytes from 1-based line and column (a byte, not a glyph). `source` null: no place.
struct Span {
  const Source* source = nullptr;
  int line = 0, column = 0, length = 0;
};

}  // namespace dsl
