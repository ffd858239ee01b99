// The substitute thread of a rank's host, for a trace without hosts: its launches, and their dependencies.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace::dpro {

/// What an event of the device waits for, in addition to earlier work of its stream: the last earlier end of any
/// computation and copies, of communication and copies, or of any other kind.
enum class DeviceWait : uint8_t { none, work, communication, others };

/// An event of the device that the trace does not have yet.
struct DeviceEvent {
  Event event;
  int64_t step = -1;  // in the file; -1: unknown
  DeviceWait waits = DeviceWait::none;
};

/// Adds the events of the device, the steps that they mark, and the calls of the host: at the begin of a step it
/// launches the step's work, and returns when that is done. Lane 0 is the host's.
void launch_all(std::vector<DeviceEvent> devices, RankTrace& trace);

}  // namespace planner::trace::dpro
