// DOT: the graph of a report, made here and for no other format.
#pragma once

#include <ostream>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

/// REQUIRES: the report has a graph.
void render_dot(const Report& report, const Page& page, std::ostream& out);

}  // namespace cli
