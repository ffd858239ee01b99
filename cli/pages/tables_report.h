// The page of `trainplan shard`:
//
//     26 tables of 84.9 GiB on 8 x a100-sxm-80gb: batch 65536
//
//     sharder  step  load  lookup  all-to-all  sent  memory
//     naive    ...
//
//     Best: local-search, by rank
//     ...
#pragma once

#include <string>

#include "cli/report/report.h"
#include "planner/tables/compare.h"

namespace cli {

struct ShardPage {
  std::string gpu;
  const planner::tables::Comparison* comparison;
};

/// "26 tables of 84.9 GiB on 8 x a100-sxm-80gb".
std::string tables_title(const ShardPage& page);
/// A rank's lookups, forward and backward, in seconds; over the mean of all ranks.
double lookup_seconds(const planner::tables::Load& load);
std::vector<double> load_per_rank(const planner::tables::Outcome& outcome);

Report tables_report(const ShardPage& page);

/// A bar of lookups and of the rank's own message, for each rank of the best placement.
svg::StackedBars tables_bars(const ShardPage& page);

}  // namespace cli
