// What-ifs that give kernels another order: some become one, some run in another stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/replay/replayed.h"

namespace planner::replay {

struct Rearrangement {
  std::string pattern;              // of kernels, copies and fills; '*' matches any text
  std::optional<size_t> rank = {};  // in the trace; nullopt: of all ranks
  /// Their stream on their device, where it has work already. nullopt: those that follow one another in a stream become
  /// one, which takes as long as all of them and is launched once, when the first one was.
  std::optional<int64_t> stream = {};
};

/// What came of one.
struct Rearranged {
  size_t found = 0;    // events of the name
  size_t changed = 0;  // that were moved, or that became part of the one before
};

/// Changes the graph. A moved kernel keeps its dependencies except its stream, and takes its place in the new one by
/// the order of launches. Its successor in the old stream waits for its predecessor. Unless the successor waits for an
/// event, it is unknown whether it needs the kernel itself.
Rearranged apply(const Rearrangement& change, const trace::Trace& trace, Replayed& replayed);

/// Lets kernels of a rank that follow one another in a stream be one where they are of one group; `groups`: by event, 0
/// none. Returns how many became part of the one before.
size_t fuse_groups(const trace::RankTrace& rank, size_t number, const std::vector<uint32_t>& groups,
                   Replayed& replayed);

/// Returns whether the pattern matches a text.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace planner::replay
