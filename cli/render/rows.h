// CSV (RFC 4180), TSV and Markdown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// How a format writes rows.
struct RowStyle {
  char separator;
  const char* end;  // of a line
  /// Adds a cell: quoted, or without characters that it cannot hold.
  void (*add)(std::string& line, std::string_view text);
};
/// Returns that of csv or tsv.
std::optional<RowStyle> row_style(std::string_view format, bool crlf);

}  // namespace cli
