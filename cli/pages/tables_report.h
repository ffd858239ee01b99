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

/// Its picture: a bar of lookups and messages for each rank. REQUIRES: the comparison outlives the report.
Report tables_report(const ShardPage& page);

}  // namespace cli
