// trainplan.validate/1: measured runs against their predictions.
#pragma once

#include "cli/report/report.h"
#include "planner/studies/runs/score.h"

namespace cli {

/// Keys and order: docs/output.md.
Report validate_report(const planner::Score& score);

}  // namespace cli
