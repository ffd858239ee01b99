// trainplan.calibrate/1 and trainplan.score/1: operator models fitted to, or held against, measurements.
#pragma once

#include "cli/args/parse.h"

namespace cli {

/// The command: reads the data, fits a model (or scores a profile: --score), prints a profile fragment.
int run_calibrate(const Options& options, Streams& streams);

}  // namespace cli
