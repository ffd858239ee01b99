// Profiles of Nsight Systems, exported to SQLite: the events of ranks.
//
// Kernels, copies and fills are in the streams of their devices. Calls of CUDA are in threads, linked to the work they
// launched by correlation. Ranges of NVTX are annotations; calls of cuBLAS, cuDNN and MPI are operators. Times are
// nanoseconds, of the epoch if the profile says when it began.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/trace/database.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// The first bytes of a file of SQLite.
inline constexpr std::string_view kDatabaseHead("SQLite format 3\0", 16);

/// Reads a profile: a rank for each process with events of devices, or one rank if no process has them. If some
/// processes have them, the others are left out with a warning. `file`: its name. Events that end before they begin are
/// mistakes, left out and noted. Work still running at the end of the profile gives a warning. The database diagnoses
/// files that are not profiles.
std::vector<RankTrace> read_nsight(Database& database, const std::string& file, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
