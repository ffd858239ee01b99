// What the libFuzzer targets share: contracts that end the process where they do not hold.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "dsl/diagnostic.h"
#include "dsl/node.h"
#include "dsl/write.h"

namespace fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string text_of(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// Cuts the first line off `text` and returns it without its end.
inline std::string take_line(std::string& text) {
  const size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

/// Whether every message has a place, or may be about an input as a whole.
enum class Places { always, where_known };

/// Every message has a place within a text, and is shown.
inline void require_places(const dsl::Diagnostics& diagnostics, Places places = Places::always) {
  for (const dsl::Diagnostic& d : diagnostics.list) {
    require(!d.message.empty());
    if (places == Places::always) require(d.span.source);
    if (d.span.source) require(d.span.line >= 1 && d.span.column >= 1);
    dsl::render(d);
  }
}

/// What the program wrote is read again without an error, which would be shown.
inline void require_read(const dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : diagnostics.list) std::fputs(dsl::render(d).c_str(), stderr);
  require(!diagnostics.has_errors());
}

/// Messages of an import have places, and what it made without an error is written as YAML and read again.
inline void require_written(const dsl::Node& made, dsl::Diagnostics& diagnostics) {
  require_places(diagnostics);
  if (diagnostics.has_errors()) return;
  const dsl::Source written{"written.yaml", dsl::write_yaml(made), ""};
  dsl::parse_yaml(written, diagnostics);
  require_read(diagnostics);
}

/// Either there is a value, or an error explains why not.
template <class T> void require_value_or_error(const T& value, const dsl::Diagnostics& diagnostics) {
  require(value.has_value() != diagnostics.has_errors());
}

}  // namespace fuzz
