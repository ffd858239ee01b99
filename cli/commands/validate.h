// trainplan.validate/1: measured runs against their predictions.
#pragma once

#include "cli/args/parse.h"
#include "cli/report/report.h"
#include "planner/studies/runs/score.h"

namespace cli {

/// The command: reads the table, selects by --where, predicts, prints. kAboveLimit if the mean error is above
/// --max-mape, or if nothing was predicted to hold against it. Scenario files are studies (cli/commands/study.h).
int run_validate(const Options& options, Streams& streams);

/// Keys and order: docs/output.md.
Report validate_report(const planner::Score& score);

}  // namespace cli
