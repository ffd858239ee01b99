// What-ifs: changes of a graph that was built from a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/replay/moments.h"
#include "planner/replay/pass_edits.h"
#include "planner/replay/rearrange.h"
#include "planner/replay/rebucket.h"

namespace planner::replay {

/// Multiplies the time of everything with a matching name by a factor: kernels, copies and transfers of collectives by
/// their own name, and the host time of operators with this name in their threads.
struct Scaling {
  std::string pattern;  // '*' matches any text
  double factor = 1;
  std::optional<size_t> rank = {};  // in the trace; nullopt: of all ranks
  std::string before = {};          // only events before the first event of this pattern on its rank; "": all
  bool removes = false;  // with a factor of 0: launched work is removed too, and no rank waits in its collectives
};

struct Edits {
  const Statistics* times = nullptr;     // those of hosts and delays in place of the trace's own; null: these
  PassEdits passes = {};                 // of computation
  const Decisions* decisions = nullptr;  // how gradients are reduced; null: as they were
  std::vector<Scaling> scalings;         // and removals
  std::vector<Rearrangement> rearrangements;
  double host_speed = 1;         // of all threads
  bool no_stragglers = false;    // no rank waits for another: each transfer begins when its own rank arrives
  bool perfect_overlap = false;  // no stream waits for an event of a kernel that communicates

  bool empty() const {
    return !times && passes.empty() && !decisions && scalings.empty() && rearrangements.empty() && host_speed == 1 &&
           !no_stragglers && !perfect_overlap;
  }
};

/// What came of them.
struct Applied {
  MeanCount times;
  PassesCame passes;
  Rebucketed rebucketed;
  std::vector<size_t> scaled;  // by scaling: how many events it found
  std::vector<Rearranged> rearranged;
};

/// Changes the graph, in the order of the members.
Applied apply(const Edits& edits, const trace::Trace& trace, const trace::Matched& matched, Replayed& replayed);

}  // namespace planner::replay
