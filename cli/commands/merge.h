// `merge`: the results of `search --shard I/N` as the result of the whole search.
#pragma once

#include "cli/args/parse.h"

namespace cli {

int run_merge(const Options& options, Streams& streams);

}  // namespace cli
