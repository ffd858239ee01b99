#include "cli/render/render.h"

#include <cassert>

namespace cli {

const Format* find_format(std::string_view name) {
  for (const Format& row : kFormats)
    if (row.name == name) return &row;
  return nullptr;
}

void render(const Report& report, std::string_view format, const Page& page, std::ostream& out) {
  const Format* row = find_format(format);
  assert(row && "a format without a row in the table");
  const bool text_alone = row->draws != Draws::nothing || (row->page && !report.text.empty());
  if (report.complete && !text_alone) return row->function(completed(report), page, out);
  row->function(report, page, out);
}

}  // namespace cli
