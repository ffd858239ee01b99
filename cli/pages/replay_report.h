// A trace as a report: what each rank was busy with, whom it waited for, and its collectives.
#pragma once

#include "cli/report/report.h"
#include "planner/replay/measured.h"

namespace cli {

using planner::replay::Measured;

/// `all`: also each single collective.
Report replay_report(const Measured& measured, bool all = false);

}  // namespace cli
