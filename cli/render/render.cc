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
  row->function(report, page, out);
}

}  // namespace cli
