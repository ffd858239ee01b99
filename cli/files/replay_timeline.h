// A replay as a timeline: what each rank's threads called and its streams did, when it was replayed, and the critical
// path.
//
// A process of the timeline is a rank, and its threads are those of the host and the streams of the device, in the
// order of the trace. A collective of several ranks is two events: the wait for the last rank, and the transfer. The
// last process is the critical path, where nothing was changed. Of some ranks alone times count from the begin of all,
// and the path has its pieces on them.
#pragma once

#include <optional>
#include <vector>

#include "cli/files/trace_events.h"
#include "cli/pages/replay_report.h"

namespace cli {

/// Writes it; with the changes, if there are any. `ranks`: numbers of the ranks to show, in order; nullopt: all.
/// REQUIRES: `measured.is_replayed()`.
void write_replay_timeline(const Measured& measured, const TraceEvents::Sink& sink,
                           const std::optional<std::vector<int64_t>>& ranks = std::nullopt);

}  // namespace cli
