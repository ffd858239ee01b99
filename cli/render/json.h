// JSON: one document, or an object a line.
#pragma once

#include <ostream>

#include "cli/render/page.h"
#include "cli/report/report.h"

namespace cli {

void render_json(const Report& report, const Page& page, std::ostream& out);
void render_ndjson(const Report& report, const Page& page, std::ostream& out);

/// `data` alone as a JSON document, without a report around it.
void print_json(const Data& data, std::ostream& out);

}  // namespace cli
