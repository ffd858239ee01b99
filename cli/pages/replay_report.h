// A trace as a report: what each rank was busy with, whom it waited for, and its collectives.
#pragma once

#include "cli/report/report.h"
#include "planner/replay/measured.h"

namespace cli {

using planner::replay::Measured;

Report replay_report(const Measured& measured);

}  // namespace cli
