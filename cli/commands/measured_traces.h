// Step times of measured runs from traces, in place of seconds.
#pragma once

#include <string>
#include <vector>

#include "cli/input/session.h"
#include "planner/studies/runs/run.h"

namespace cli {

/// Gives each run that names traces (column `measured_trace`: a file a rank, blanks between them, beside the table
/// `path`) the mean time of the steps that they mark. Diagnosed at the cell: files that cannot be read, execution
/// traces, no marked steps, ranks with different numbers of them. Warned: a single step.
void read_measured_traces(const std::string& path, std::vector<planner::Run>& runs, Streams& streams, Session& session);

}  // namespace cli
