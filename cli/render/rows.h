// CSV (RFC 4180), TSV and Markdown.
#pragma once

#include <ostream>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

void render_csv(const Report& report, const Page& page, std::ostream& out);
void render_tsv(const Report& report, const Page& page, std::ostream& out);
void render_markdown(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
