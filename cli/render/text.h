// Text for people: aligned tables and wrapped paragraphs.
#pragma once

#include <ostream>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

void render_text(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
