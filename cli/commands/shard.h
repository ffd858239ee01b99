// `--shard I/N`, `auto/N` and `auto`: which part of a space this process walks.
#pragma once

#include <functional>
#include <string>

#include "planner/search/search.h"

namespace cli {

/// The value of a variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char*)>;

/// "2/8" is the second of eight parts. `auto/8` takes the number from the index that Slurm, Kubernetes or SGE gives to
/// a task of an array; `auto` takes both from an array without gaps. Returns "" or the mistake.
std::string read_shard(const std::string& text, const Environment& environment, planner::SearchOptions& search);

/// "1,4-7": numbers in order, as `sbatch --array=` takes them.
std::string number_list(const std::vector<int64_t>& numbers);

}  // namespace cli
