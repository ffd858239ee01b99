// The files of `trainplan replay`: traces of events, and execution traces that belong to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/session.h"
#include "planner/replay/measured.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"

namespace cli {

/// Returns whether a file is a trace by its first bytes (planner/trace/readers.h).
bool is_trace(const std::string& path);

/// The files of a run.
struct ReplayFiles {
  std::vector<planner::trace::RankTrace> ranks;
  std::vector<planner::trace::Execution> executions;
};

/// Reads them; "-" is standard input. Diagnosed: an unreadable file; broken content, unless it is skipped.
ReplayFiles read_replay_files(const std::vector<std::string>& paths, bool skip_broken, Streams& streams,
                              Session& session);

/// Returns names of files of events, by execution trace; nullopt: their ranks cannot be determined (diagnosed).
std::optional<std::vector<std::string>> events_of(const ReplayFiles& files, dsl::Diagnostics& diagnostics);

/// Joins each execution trace with the events of its rank. Warns if they are too different.
std::vector<planner::replay::JoinedRank> join_files(const std::vector<planner::trace::Execution>& executions,
                                                    const std::vector<std::string>& events,
                                                    const planner::trace::Trace& measured,
                                                    dsl::Diagnostics& diagnostics);

}  // namespace cli
