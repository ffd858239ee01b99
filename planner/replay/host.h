// The host of a rank: what its threads did one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/replay/calls.h"
#include "planner/trace/busy.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// A call of the runtime, or a moment that is marked: the begin and the end of a step, the first and the last thing
/// that a thread does.
struct HostItem {
  int64_t begin_ns = 0, end_ns = 0;
  std::optional<size_t> event;      // of a call
  std::optional<size_t> mark = {};  // of step n the begin (2 n) or the end (2 n + 1)
  CallRole role = CallRole::other;
  int64_t lag_ns = 0;            // since the item before it, as far as the thread itself took it
  uint32_t first = 0, last = 0;  // nodes
  uint32_t number = 0;           // of a call (launched.h)
  int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// Another thread does something while this one waits for it.
struct HandOver {
  size_t from = 0, to = 0;               // items of the thread that waits; `to` behind the last: it does nothing more
  size_t lane = 0, first = 0, last = 0;  // the other thread, and its items
};

struct Host {
  std::vector<std::vector<HostItem>> threads;  // by begin; calls within calls are no items
  std::vector<uint32_t> lanes;                 // of the threads, in the trace
  size_t primary = 0;                          // the thread that has the steps, or most calls
  std::vector<HandOver> hand_overs;
  std::vector<std::pair<size_t, size_t>> within;  // events of calls within calls, and of the outer ones
  struct Marks {
    size_t begin = 0, end = 0;  // items of the primary thread
  };
  std::vector<Marks> steps;  // those that are marked
};

Host host_of(const trace::RankTrace& rank, const std::vector<trace::Step>& steps);

}  // namespace planner::replay
