// CSV (RFC 4180), TSV and Markdown.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

/// How a format writes rows.
struct RowStyle {
  char separator;
  const char* end;                               // of a line
  std::string (*cell)(const std::string& text);  // quoted, or without what has no place in a cell
};
/// Returns that of csv or tsv.
std::optional<RowStyle> row_style(std::string_view format, bool crlf);

void render_csv(const Report& report, const Page& page, std::ostream& out);
void render_tsv(const Report& report, const Page& page, std::ostream& out);
void render_markdown(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
