// How much of one file is kept: an event takes some 350 bytes until its run is replayed, a node about as much.
#pragma once

#include <string>

namespace planner::trace {

inline constexpr size_t kMostEvents = 4'000'000;  // or nodes

/// What is wrong with a file that has more. `what`: "events".
inline std::string too_many(const std::string& what) {
  return "the file has more than " + std::to_string(kMostEvents) + " " + what + ": trace fewer steps";
}

}  // namespace planner::trace
