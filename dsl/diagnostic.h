// Places in source text, and what is wrong there.
//
// Every user mistake becomes a `Diagnostic` with a span; all mistakes of a
// file are collected in one `Diagnostics` and shown in one run:
//
//     shop.yaml:4:9: error: unknown field 'tea.sugra'
//        4 |   sequnce: 2048
//          |   ^~~~~~~
//     hint: did you mean 'sugar'?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/similar.h"

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

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string message;  // lower case, plain English, "expected X, got Y"
  // May be empty. A hint that begins "write" or "did you mean" holds in single quotes what to put in place of
  // the span, and no other quoted text: tests put it there (tests/proposals.h).
  std::string hint;
};

struct Diagnostics {
  std::vector<Diagnostic> list;

  void error(Span span, std::string message, std::string hint = {});
  void warning(Span span, std::string message, std::string hint = {});
  bool has_errors() const;
  /// Returns the message of the first error, or "it cannot be read" without one.
  std::string first_error() const;
};

/// The diagnostic as text: place, line, caret, hint; ends with a newline.
std::string render(const Diagnostic& d, bool color = false);

}  // namespace dsl
