// Reads the files of a run as a trace (usually one file per rank), and orders the ranks.
#pragma once

#include <optional>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"
#include "planner/unpack/inflate.h"

namespace planner::trace {

/// A file, or another source.
struct TraceInput {
  std::string name;
  unpack::Supply bytes;   // raw, packed by gzip or not
  std::string path = {};  // of a regular file that these are the bytes of: databases are read there; "": of none
};

/// The content of a file: the events of ranks, or the operators of one and their dependencies.
struct Read {
  std::vector<RankTrace> ranks;  // of a profile of several processes one each, else at most one
  std::optional<Execution> execution;
};
/// Reads a file of any known format: by its first bytes, and JSON by its keys. Unknown formats are diagnosed. With
/// `skip_broken`, broken events and nodes are left out and reported as warnings; broken messages of protobuf and
/// databases are always mistakes.
Read read_any(const TraceInput& input, bool skip_broken, dsl::Diagnostics& diagnostics);

/// The number of first bytes of a file that identify its format.
inline constexpr size_t kHeadBytes = 64;
/// Whether a file is a trace by its first bytes, if it might also be a table or a scenario: JSON, a database, or gzip.
/// A map of YAML whose keys have no quotes does not match, nor does a trace of Chakra.
bool is_trace(const std::string& head);

/// Orders ranks. A rank without a number gets the smallest free number, in the order of the files (a warning). Two
/// files of one rank, a rank that the run does not have and runs of different sizes are mistakes.
std::optional<Trace> order_ranks(std::vector<RankTrace> ranks, dsl::Diagnostics& diagnostics);

}  // namespace planner::trace
