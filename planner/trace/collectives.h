// Matches collectives across ranks: which kernels belong together, which rank came last, and who waited for whom.
//
// A communication kernel begins when its rank arrives and ends when all are done. Its duration thus includes the wait
// for the last rank (Lin et al., section IV-B; dPRO, section 4.2):
//
//     arrival = begin        transfer = last end - last arrival        wait of a rank = its duration - transfer
//
// The k-th kernel of a process group on one rank is the k-th on every other. If a trace does not name groups, the k-th
// kernel of a stream is used; streams are ordered by their first kernel.
//
// With parameter servers, a round of a key is a collective. Each rank arrives when its PUSH ends; the server can answer
// a PULL when the last has arrived (synchronous training; dPRO, section 4.1, where PUSH and PULL are a SEND and a RECV
// each):
//
//     arrival = end of the PUSH      wait of a rank = from the begin of its PULL to the last arrival, 0 to its duration
//
// The rest of the PULL is its transfer, separately for each rank. The last rank waits for nobody.
#pragma once

#include <string>
#include <vector>

#include "planner/trace/busy.h"
#include "planner/trace/collective_kinds.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// Kernels of several ranks that are one.
struct Collective {
  std::string name, group;  // "allreduce", or the kernel's name; "": no group is named
  size_t index = 0;         // of its group
  struct Part {
    size_t rank = 0, event = 0;  // in the trace; in the rank's events
    int64_t wait_ns = 0;         // for the last rank
    uint32_t push = kNone;       // event by whose end the rank has arrived, where this one is a PULL
  };
  std::vector<Part> parts;  // by rank
  size_t last = 0;          // part that arrived last
  int64_t transfer_ns = 0;  // of one rank alone: all of its duration; of PULLs the longest
  int64_t end_ns = 0;       // of the last rank
  CollectiveKind kind = CollectiveKind::unknown;
  int64_t bytes = -1, bytes_out = -1;  // that a rank sends and receives, at most; -1: unknown
  int64_t group_size = -1;             // in the trace; -1: unknown
  std::string members;                 // ranks of the group, "[0, 1]"; "": unknown
};

struct Matched {
  std::vector<Collective> collectives;  // by the time at which they end
  /// Inconsistencies: groups whose ranks have different numbers of kernels; PULLs that end before the last PUSH.
  std::vector<std::string> mistakes, notes;
  /// Groups with absent ranks: the time of waiting for these is part of their collectives' time.
  size_t absent_groups = 0;
  std::string absent;  // describes the first: "group 'dp' has 2 ranks, of which 1 is here"; "" if none
};

/// Returns the number of ranks of the run: those that are present, or the number in the first file.
int64_t world_of(const Trace& trace);
/// Returns the number of participating ranks: the trace's number; for a group without a name all ranks of the run; else
/// those that are present. Each worker pushes each key.
int64_t ranks_of(const Trace& trace, const Collective& collective);

/// Returns when a rank has arrived.
int64_t arrival_ns(const Trace& trace, const Collective::Part& part);
/// A worker knows of the end of its PUSH when the server's answer is there, which takes no longer than this.
inline constexpr int64_t kAnswerNs = 1'000'000;
/// Matches the collectives of all ranks. Clocks must agree (clocks.h). Mistakes are left out.
Matched match_collectives(const Trace& trace);

/// Describes the missing ranks and the consequences. REQUIRES: some are missing.
std::string absent_text(const Matched& matched);

/// Returns how long each rank waited for each: nanoseconds by [rank][rank that was last].
std::vector<std::vector<int64_t>> waits_of(const Trace& trace, const Matched& matched);

/// Returns how long a rank waited for others in a time: of two waits at once as long as either.
int64_t waited_in(const Trace& trace, const Matched& matched, size_t rank, TimeInterval window);

}  // namespace planner::trace
