#include "planner/replay/calls.h"

#include <array>

namespace planner::replay {
namespace {

struct CallRow {
  std::string_view name;
  CallRole role;
};
constexpr std::array kCalls{
    CallRow{"cudaStreamWaitEvent", CallRole::waits_event},
    CallRow{"hipStreamWaitEvent", CallRole::waits_event},
    CallRow{"cuStreamWaitEvent", CallRole::waits_event},
    CallRow{"cudaStreamSynchronize", CallRole::sync_stream},
    CallRow{"hipStreamSynchronize", CallRole::sync_stream},
    CallRow{"cudaEventSynchronize", CallRole::sync_stream},
    CallRow{"hipEventSynchronize", CallRole::sync_stream},
    CallRow{"cudaDeviceSynchronize", CallRole::sync_device},
    CallRow{"hipDeviceSynchronize", CallRole::sync_device},
    CallRow{"cudaFree", CallRole::sync_device},
    CallRow{"hipFree", CallRole::sync_device},
};

}  // namespace

CallRole role_of_call(std::string_view name) {
  for (const CallRow& row : kCalls)
    if (row.name == name) return row.role;
  return CallRole::other;
}

}  // namespace planner::replay
