// A report as one file to hand over: its text and picture, tables that sort and filter, what was asked and read, and
// the document. It takes nothing from a network, follows a dark page, and can be printed.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

/// The style sheet and the script of the page (cli/render/html).
struct PageFile {
  std::string_view name, text;  // "report.css" and what it says
};
std::span<const PageFile> page_files();

void render_html(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
