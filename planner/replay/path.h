// The critical path across ranks: the chain of events that the end of the run waited for.
#pragma once

#include <string_view>
#include <vector>

#include "planner/replay/replayed.h"

namespace planner::replay {

/// The kind of a piece of the path.
enum class Piece : uint8_t {
  host,      // a thread works, or calls
  launch,    // from a call to the begin of the launched work
  kernel,    // the device works
  gap,       // the device, between two of a stream, or behind an event
  transfer,  // of a collective, behind its last rank; a PUSH
  sync,      // from the device's end to the return of the call that waits for it
};
const char* name_of(Piece piece);

struct PathPiece {
  uint32_t rank = 0;  // in the trace
  Piece piece = Piece::host;
  std::string_view name;  // of the trace: the operator, the kernel, the collective
  int64_t begin_ns = 0, seconds_ns = 0;
};

/// Returns the pieces of the path to a node, by time; neighbours of one name are one. They sum to its end since the
/// begin of the path.
std::vector<PathPiece> path_to(uint32_t node, const trace::Trace& trace, const trace::Matched& matched,
                               const Replayed& replayed, std::span<const Run> runs);

/// Returns the pieces of one rank, kind and name as one, the longest first; `begin_ns` is that of the first.
std::vector<PathPiece> summed(const std::vector<PathPiece>& pieces);

}  // namespace planner::replay
