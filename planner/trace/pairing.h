// Which rank an execution trace is of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/trace/execution.h"
#include "planner/trace/trace.h"

namespace planner::trace {

struct Pairing {
  std::vector<uint32_t> rank_of;   // by execution trace: its place in the ranks
  std::vector<std::string> notes;  // what was guessed
  std::string wrong;               // "", or why it cannot be told
};

/// An execution trace is of the rank whose events are of its process. Where no rank's are, or several ranks' of
/// different hosts, it is of those that are left in their order, where these are as many: that is a guess.
Pairing pair_files(const std::vector<RankTrace>& ranks, const std::vector<Execution>& executions);

}  // namespace planner::trace
