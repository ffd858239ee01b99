// What `trainplan tune` prints.
#pragma once

#include "cli/report/report.h"
#include "planner/tuning/subject.h"
#include "planner/tuning/tuned.h"

namespace cli {

/// Strategies by their steps, and the buckets of the best one. Both outlive the report.
Report tune_report(const planner::tuning::Subject& subject, const planner::tuning::Tuned& tuned);

}  // namespace cli
