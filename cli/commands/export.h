// `trainplan export`: a plan as the settings of the program that will run it.
#pragma once

#include "cli/args/parse.h"

namespace cli {

/// Prints the target's text as it is; other formats have its settings one by one. kNotFeasible for a layout that cannot
/// be (nothing is printed) and for one that does not fit (printed all the same).
int run_export(const Options& options, Streams& streams);

}  // namespace cli
