// Profiles of Nsight Systems, exported to SQLite: the events of one rank.
//
// Kernels, copies and fills stand in the streams of their devices; calls of CUDA in threads, with what they launched by
// correlation; ranges of NVTX as annotations; calls of cuBLAS, cuDNN and MPI as operators. Times are nanoseconds, of
// the epoch where the profile says when it began.
#pragma once

#include "planner/trace/database.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// The first bytes of a file of SQLite.
inline constexpr std::string_view kDatabaseHead("SQLite format 3\0", 16);

/// Reads a profile. Events that end before they begin are mistakes, left out and noted; what was still running when the
/// profile ended is told as a warning. What is no profile, or one of several processes with devices, is diagnosed by
/// the database.
void read_nsight(Database& database, RankTrace& trace, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
