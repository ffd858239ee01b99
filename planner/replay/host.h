// The host of a rank: the sequence of its threads' work, and the launches of each call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/replay/calls.h"
#include "planner/trace/steps.h"
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
  uint32_t number = 0;           // of a call (Launched)
  int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// Another thread does something while this one waits for it.
struct HandOver {
  size_t from = 0, to = 0;               // items of the thread that waits; `to` behind the last: it does nothing more
  size_t lane = 0, first = 0, last = 0;  // the other thread, and its items
};

struct HostThreads {
  std::vector<std::vector<HostItem>> threads;  // by begin; nested calls are not items
  std::vector<uint32_t> lanes;                 // of the threads, in the trace
  size_t primary = 0;                          // the thread that has the steps, or most calls
  std::vector<HandOver> hand_overs;
  std::vector<std::pair<size_t, size_t>> within;  // events of calls within calls, and of the outer ones
  struct StepMarks {
    size_t begin = 0, end = 0;  // items of the primary thread
  };
  std::vector<StepMarks> steps;  // those that are marked
};

HostThreads host_of(const trace::RankTrace& rank, const std::vector<trace::Step>& steps);

/// The calls of a rank's threads by time, and what each launched.
class Launched {
 public:
  /// `host` outlives it; its items get their numbers.
  Launched(const trace::RankTrace& rank, HostThreads& host);

  const std::vector<HostItem*>& calls() const { return calls_; }
  /// Events of the device, by begin.
  const std::vector<size_t>& device() const { return device_; }
  /// The launches of a call, by begin; a nested call counts for the outer one.
  std::span<const size_t> by(const HostItem& call) const {
    return {launched_.data() + begins_[call.number], launched_.data() + begins_[call.number + 1]};
  }
  /// The call that launched an event; null: none in the trace.
  const HostItem* call_of(size_t event) const {
    return by_call_[event] == trace::kNone ? nullptr : calls_[by_call_[event]];
  }
  /// The copy behind which a call returns; null: it does not wait for one.
  const trace::Event* awaited_copy(const HostItem& call) const;

 private:
  const trace::RankTrace& rank_;
  std::vector<HostItem*> calls_;
  std::vector<size_t> device_, launched_;
  std::vector<uint32_t> by_call_;  // by event: the number of its call
  std::vector<size_t> begins_;     // by call, in `launched_`
};

}  // namespace planner::replay
