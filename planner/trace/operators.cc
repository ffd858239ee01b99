#include "planner/trace/operators.h"

#include <algorithm>

namespace planner::trace {

Operators::Operators(const RankTrace& rank) : rank_(rank) {
  for (size_t i = 0; i < rank.events.size(); ++i) {
    const Event& event = rank.events[i];
    if (event.kind != EventKind::op && event.kind != EventKind::annotation) continue;
    std::vector<Nested>& thread = threads_[event.lane];
    size_t around = thread.empty() ? kNobody : thread.size() - 1;
    while (around != kNobody && rank.events[thread[around].event].end_ns() <= event.start_ns)
      around = thread[around].around;
    thread.push_back({i, around});
  }
}

size_t Operators::innermost(const std::vector<Nested>& all, int64_t time_ns) const {
  const auto begin = [&](const Nested& nested) { return rank_.events[nested.event].start_ns; };
  const auto next = static_cast<size_t>(std::ranges::upper_bound(all, time_ns, {}, begin) - all.begin());
  size_t found = next == 0 ? kNobody : next - 1;
  while (found != kNobody && rank_.events[all[found].event].end_ns() <= time_ns) found = all[found].around;
  return found;
}

const Event* Operators::at(uint32_t lane, int64_t time_ns) const {
  const auto thread = threads_.find(lane);
  if (thread == threads_.end()) return nullptr;
  const size_t found = innermost(thread->second, time_ns);
  return found == kNobody ? nullptr : &rank_.events[thread->second[found].event];
}

std::vector<const Event*> Operators::around(uint32_t lane, int64_t time_ns) const {
  std::vector<const Event*> events;
  const auto thread = threads_.find(lane);
  if (thread == threads_.end()) return events;
  const std::vector<Nested>& all = thread->second;
  for (size_t at = innermost(all, time_ns); at != kNobody; at = all[at].around)
    events.push_back(&rank_.events[all[at].event]);
  return events;
}

}  // namespace planner::trace
