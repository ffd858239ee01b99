// What `trainplan tune` prints.
#pragma once

#include "cli/report/report.h"
#include "planner/tuning/planned.h"
#include "planner/tuning/tuned.h"

namespace cli {

/// Strategies by their steps, and the buckets of the best one. Both outlive the report.
Report tune_report(const planner::tuning::Planned& planned, const planner::tuning::Tuned& tuned);

}  // namespace cli
