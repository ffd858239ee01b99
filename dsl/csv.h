// Comma-separated values (RFC 4180) with the place of every cell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.h"

namespace dsl {

struct CsvCell {
  std::string text;  // quoting undone
  Span span;         // of the raw text, quotes included; of its first line
};

struct CsvTable {
  std::vector<CsvCell> header;
  std::vector<std::vector<CsvCell>> rows;  // each as long as the header

  std::optional<size_t> column(std::string_view name) const;
  std::vector<std::string> names() const;
};

/// A number as a cell may hold one: all of the text, plain decimal or scientific, finite.
std::optional<double> cell_number(std::string_view text);

/// Reads a table: a header, then rows. Lines end with LF or CRLF; blank lines are skipped. Diagnosed: bytes that are
/// not text, an unterminated quote, text next to a quoted cell, a quote inside a bare cell, rows shorter or longer than
/// the header, no header, a column without a name or with the name of another.
CsvTable read_csv(const Source& source, Diagnostics& diagnostics);

}  // namespace dsl
