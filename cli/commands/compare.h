// `compare`: two scenarios, and what each of their differences is worth.
#pragma once

#include "cli/args/parse.h"

namespace cli {

int run_compare(const Options& options, Streams& streams);

}  // namespace cli
