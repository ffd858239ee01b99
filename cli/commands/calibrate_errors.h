// `trainplan calibrate errors RUNS.csv`: how far measured runs are from their plans, by families that were left out.
#pragma once

#include "cli/commands/calibrate_flags.h"

namespace cli {

int run_calibrate_errors(const CalibrateFlags& options, Streams& streams);

}  // namespace cli
