// SVG: the picture of a report, made here and for no other format.
#pragma once

#include <ostream>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

/// REQUIRES: the report has a picture.
void render_svg(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
