// trainplan.diagnostics/1.
#pragma once

#include "cli/report/report.h"
#include "dsl/diagnostic.h"

namespace cli {

/// A row for each mistake and warning, with its place.
Report diagnostics_report(const dsl::Diagnostics& diagnostics);

}  // namespace cli
