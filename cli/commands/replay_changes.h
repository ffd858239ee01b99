// The what-ifs of `trainplan replay`: flags that change the graph of a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/files/decisions.h"
#include "cli/input/session.h"
#include "planner/replay/measured.h"

namespace cli {

struct ReplayChangeFlags {
  std::vector<std::string> scale_op, remove, fuse, move;
  std::vector<std::string> times;  // files
  std::string apply;               // a file; "": none
  double host_speed = 1;
  bool no_stragglers = false, perfect_overlap = false;
};

/// Returns the statistics of --times; nullopt: it is absent, or a file is not such a table (diagnosed).
std::optional<planner::replay::Statistics> times_of(const ReplayChangeFlags& flags, Streams& streams, Session& session);

/// Returns the decisions of --apply; nullopt: it is not given, or the file has none (diagnosed).
std::optional<ReadDecisions> decisions_of(const ReplayChangeFlags& flags, Streams& streams, Session& session);

/// Returns the other changes; invalid ones are diagnosed. `times` outlives them; null: those of the trace.
planner::replay::Edits edits_of(const ReplayChangeFlags& flags, const planner::trace::Trace& measured,
                                const planner::replay::Statistics* times, dsl::Diagnostics& diagnostics);

/// Diagnoses decisions of another run than the trace's.
void tell_of_decisions(const planner::replay::Measured& page, const ReadDecisions& read, dsl::Diagnostics& diagnostics);

/// Diagnoses changes that found nothing.
void tell_of_changes(const planner::replay::Applied& applied, const planner::replay::Edits& edits,
                     dsl::Diagnostics& diagnostics);

}  // namespace cli
