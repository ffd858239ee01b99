#include "cli/render/render.h"

#include <cassert>

namespace cli {

void render_svg(const Report& report, const Page&, std::ostream& out) {
  assert(report.picture && "a command whose row says `pictures` gives its report one");
  std::visit([&](const auto& chart) { out << svg::draw(chart); }, report.picture());
}

void render_dot(const Report& report, const Page&, std::ostream& out) {
  assert(report.graph && "a command whose row says `graphs` gives its report one");
  out << report.graph();
}

const ReportFormat* find_format(std::string_view name) {
  for (const ReportFormat& row : kFormats)
    if (row.name == name) return &row;
  return nullptr;
}

void render(const Report& report, std::string_view format, const Page& page, std::ostream& out) {
  const ReportFormat* row = find_format(format);
  assert(row && "a format without a row in the table");
  const bool text_alone = row->draws != Draws::nothing || (row->page && !report.text.empty());
  if (report.complete && !text_alone) return row->function(completed(report), page, out);
  row->function(report, page, out);
}

}  // namespace cli
