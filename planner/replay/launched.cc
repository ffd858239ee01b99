#include "planner/replay/launched.h"

#include <algorithm>

namespace planner::replay {

Launched::Launched(const trace::RankTrace& rank, Host& host) : rank_(rank), by_call_(rank.launched_by) {
  for (std::vector<HostItem>& items : host.threads)
    for (HostItem& item : items)
      if (item.event) calls_.push_back(&item);
  std::ranges::stable_sort(calls_, {}, [](const HostItem* call) { return call->begin_ns; });
  std::vector<uint32_t> outer(rank.events.size(), trace::kNone);  // by event of a call
  for (uint32_t c = 0; c < calls_.size(); ++c) {
    calls_[c]->number = c;
    outer[*calls_[c]->event] = c;
  }
  for (const auto& [inner, around] : host.within) outer[inner] = outer[around];
  begins_.assign(calls_.size() + 1, 0);
  for (size_t i = 0; i < rank.events.size(); ++i) {
    uint32_t& call = by_call_[i];
    if (call != trace::kNone) call = outer[call];
    if (call != trace::kNone) ++begins_[call + 1];
    if (trace::is_on_device(rank.events[i].kind)) device_.push_back(i);
  }
  for (size_t c = 0; c < calls_.size(); ++c) begins_[c + 1] += begins_[c];
  launched_.resize(begins_.back());
  std::vector<size_t> next(begins_.begin(), begins_.end() - 1);
  for (const size_t i : device_)
    if (by_call_[i] != trace::kNone) launched_[next[by_call_[i]]++] = i;
}

const trace::Event* Launched::awaited_copy(const HostItem& call) const {
  if (!call.event || by(call).size() != 1) return nullptr;
  const trace::Event& event = rank_.events[by(call).front()];
  return event.kind == trace::Kind::copy && event.end_ns() <= call.end_ns ? &event : nullptr;
}

}  // namespace planner::replay
