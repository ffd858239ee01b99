// `trainplan calibrate steps RUNS.csv`: the few numbers of profiles, calibrations and clusters that measured training
// steps determine.
#pragma once

#include "cli/commands/calibrate_flags.h"

namespace cli {

int run_calibrate_steps(const CalibrateFlags& options, Streams& streams);

}  // namespace cli
