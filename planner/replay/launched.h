// The calls of a rank's threads by time, and what each launched.
#pragma once

#include <span>
#include <vector>

#include "planner/replay/host.h"

namespace planner::replay {

class Launched {
 public:
  /// `host` outlives it; its items get their numbers.
  Launched(const trace::RankTrace& rank, Host& host);

  const std::vector<HostItem*>& calls() const { return calls_; }
  /// Events of the device, by begin.
  const std::vector<size_t>& device() const { return device_; }
  /// What a call launched, by begin; a call within a call counts for the outer one.
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
