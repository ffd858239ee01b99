// Profiles of Nsight Systems for tests, made by SQL, and what a reader makes of one.
#pragma once

#include <string>

#include "planner/trace/readers.h"

namespace sample {

/// The tables of a profile with the columns that exports of 2022 to 2024 have, and texts: 1 "gemm", 2
/// "ncclDevKernel_AllReduce_Sum", 3 "cudaLaunchKernel_v7000", 4 "cudaMemcpyAsync_ptsz_v3020", 5 "MPI_Allreduce", 6
/// "range".
extern const char* const kNsightTables;

/// The thread 7 of process 100 as the tables write it.
constexpr int64_t kNsightThread = (int64_t{100} << 24) + 7;

/// Returns the bytes of a database that SQL makes.
std::string database(const std::string& sql);

/// What `read_any` makes of the tables with these rows; messages, one per line, in `messages`.
std::optional<planner::trace::RankTrace> nsight(const std::string& rows, std::string* messages = nullptr,
                                                bool skip_broken = false);
/// The same for raw bytes.
std::optional<planner::trace::RankTrace> nsight_bytes(const std::string& bytes, std::string* messages = nullptr,
                                                      bool skip_broken = false, size_t piece = 1 << 16);

}  // namespace sample
