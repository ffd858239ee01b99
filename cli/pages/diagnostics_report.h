// trainplan.diagnostics/1; a scenario's assertions about its plan: in the report, and the failing ones as messages.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/plan/goals.h"

namespace cli {

/// A row for each mistake and warning, with its place.
Report diagnostics_report(const dsl::Diagnostics& diagnostics);

/// The member `assertions` of the document, and a line on the page; nothing where nothing is asserted.
void add_assertions(const std::vector<planner::Assertion>& assertions, Report& report);

/// A message for each that does not hold, at its place.
dsl::Diagnostics failed_assertions(const std::vector<planner::Assertion>& assertions);

}  // namespace cli
