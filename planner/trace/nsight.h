// Profiles of Nsight Systems, exported to SQLite: the events of ranks.
//
// Kernels, copies and fills stand in the streams of their devices; calls of CUDA in threads, with what they launched by
// correlation; ranges of NVTX as annotations; calls of cuBLAS, cuDNN and MPI as operators. Times are nanoseconds, of
// the epoch where the profile says when it began.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/trace/database.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// The first bytes of a file of SQLite.
inline constexpr std::string_view kDatabaseHead("SQLite format 3\0", 16);

/// Reads a profile: a rank for each process with events of devices, or one where none has them; of several processes
/// those without devices are left out, and a warning says so. `file`: its name. Events that end before they begin are
/// mistakes, left out and noted; what was still running when the profile ended is told as a warning. What is no profile
/// is diagnosed by the database.
std::vector<RankTrace> read_nsight(Database& database, const std::string& file, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
