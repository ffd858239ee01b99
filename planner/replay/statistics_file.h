// Statistics of hosts and devices as a file, which runs of other workloads on the same machine share.
//
//     kind,begin,end,before,after,count,mean_ns
//     between,"aten::mm","aten::mm","cudaMalloc","cudaLaunchKernel",120,5250
//
// A table (RFC 4180); columns are those of `Moment`, in any order. Rows of one moment add up, so that files may be put
// one behind the other.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dsl/csv.h"
#include "planner/replay/statistics.h"

namespace planner::replay {

/// Writes the file, row by row.
void write_statistics(const Statistics& statistics, const std::function<void(std::string_view)>& write);

/// The longest file that is read.
inline constexpr size_t kMostStatisticsBytes = size_t{16} << 20;

/// Adds what a file says. Diagnosed: a longer file, a column that is not there, a kind that there is none of, a count
/// that is no whole number above zero, more than 9e15 times in all, a mean that is no number or longer than an hour.
void read_statistics(const dsl::Source& source, Statistics& statistics, dsl::Diagnostics& diagnostics);

}  // namespace planner::replay
