// What `trainplan tune` prints.
#pragma once

#include "cli/report/report.h"
#include "planner/tuning/tuned.h"

namespace cli {

/// Strategies by their steps, and the buckets of the last one, the best. `decisions`: as decisions.h writes them, or
/// null.
Report tune_report(const planner::tuning::Subject& subject, const std::vector<planner::tuning::Candidate>& candidates,
                   Data decisions);

}  // namespace cli
