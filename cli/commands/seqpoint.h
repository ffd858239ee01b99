// `trainplan seqpoint LOG`: the iterations of a variable-length run that stand for all of them.
#pragma once

#include "cli/args/parse.h"

namespace cli {

int run_seqpoint(const Options& options, Streams& streams);

}  // namespace cli
