// Effects of calls of CUDA's and HIP's runtime on the order of events.
#pragma once

#include <string_view>

namespace planner::replay {

enum class CallRole {
  other,        // a launch, or nothing that others see
  waits_event,  // makes a stream wait for an event of another
  sync_stream,  // returns when a stream, or an event of it, is done
  sync_device,  // returns when all streams are
};

CallRole role_of_call(std::string_view name);

}  // namespace planner::replay
