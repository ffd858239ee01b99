// Mistakes in a source text, and their places.
//
// Every user mistake becomes a `Diagnostic` with a span; all mistakes of a
// file are collected in one `Diagnostics` and shown in one run:
//
//     shop.yaml:4:9: error: unknown field 'tea.sugra'
//        4 |   sequnce: 2048
//          |   ^~~~~~~
//     hint: did you mean 'sugar'?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/similar.h"
#include "dsl/source.h"

namespace dsl {

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
  /// `error`, for callers that then return no value.
  std::nullopt_t refuse(Span span, std::string message, std::string hint = {});
  void warning(Span span, std::string message, std::string hint = {});
  void append(const Diagnostics& more);
  bool has_errors() const;
  /// Returns the message of the first error, or "it cannot be read" without one.
  std::string first_error() const;
};

/// Whether the text holds a byte that no text holds (diagnosed).
bool has_bad_byte(const Source& source, Diagnostics& diagnostics);

/// The diagnostic as text: place, line, caret, hint; ends with a newline.
std::string render(const Diagnostic& d, bool color = false);
/// The line of the source at a place, without its end; empty without a place.
std::string_view line_at(const Span& span);

}  // namespace dsl
