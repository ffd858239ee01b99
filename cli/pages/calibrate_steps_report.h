// trainplan.calibrate/1 of `calibrate steps`.
#pragma once

#include "cli/pages/calibrate_steps_profile.h"
#include "cli/report/report.h"

namespace cli {

/// Keys: docs/output.md.
Report steps_report(const FittedSteps& steps);

}  // namespace cli
