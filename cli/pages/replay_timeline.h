// A replay as a timeline: what each rank's threads called and its streams did, when it was replayed, and the critical
// path.
//
// A process of the timeline is a rank, and its threads are those of the host and the streams of the device, in the
// order of the trace. A collective of several ranks is two events: the wait for the last rank, and the transfer. The
// last process is the critical path, where nothing was changed.
#pragma once

#include "cli/pages/replay_report.h"
#include "cli/pages/trace_events.h"

namespace cli {

/// Writes it; with the changes, where there are any. REQUIRES: `measured.is_replayed()`.
void write_replay_timeline(const Measured& measured, const TraceEvents::Sink& sink);

}  // namespace cli
