// `merge --missing`: which shards are still to be searched.
#pragma once

#include "cli/commands/common.h"
#include "cli/files/partial.h"

namespace cli {

/// Prints the numbers of the shards that no file holds whole, as `sbatch --array=` takes them; nothing where none is
/// missing. `found`: what could be read, one at least, all of one search.
int print_missing(const std::vector<Partial>& found, const CommonFlags& common, Streams& streams);

}  // namespace cli
