// The files of a run as a trace: mostly one file is one rank; and the ranks in their order.
#pragma once

#include <optional>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"
#include "planner/unpack/inflate.h"

namespace planner::trace {

/// A file, or what stands for one.
struct TraceInput {
  std::string name;
  unpack::Supply bytes;   // as they stand, packed by gzip or not
  std::string path = {};  // of a regular file that these are the bytes of: databases are read there; "": of none
};

/// What a file was: the events of ranks, or the operators of one and what each depends on.
struct Read {
  std::vector<RankTrace> ranks;  // of a profile of several processes one each, else at most one
  std::optional<Execution> execution;
};
/// Reads a file of any format that is known: by its first bytes, and JSON by its keys. Neither: diagnosed. With
/// `skip_broken` events and nodes that are broken are left out and told as warnings; broken messages of protobuf and
/// databases are mistakes, always.
Read read_any(const TraceInput& input, bool skip_broken, dsl::Diagnostics& diagnostics);

/// The same of a file that has the events of one rank. nullopt: diagnosed.
std::optional<RankTrace> read_rank(const TraceInput& input, bool skip_broken, dsl::Diagnostics& diagnostics);

/// How many of a file's first bytes say what it is.
inline constexpr size_t kHeadBytes = 64;
/// Whether a file is a trace by its first bytes, where it may be a table or a scenario as well: JSON, a database, or
/// packed by gzip. A map of YAML whose keys have no quotes is none, nor is a trace of Chakra.
bool is_trace(const std::string& head);

/// Puts ranks in their order. Whoever does not say its rank gets the smallest number that is free, in the order of the
/// files (a warning). Two files of one rank, a rank that the run does not have and runs of different sizes are
/// mistakes.
std::optional<Trace> order_ranks(std::vector<RankTrace> ranks, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
