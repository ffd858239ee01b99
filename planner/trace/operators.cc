#include "planner/trace/operators.h"

#include <algorithm>

namespace planner::trace {

Operators::Operators(const RankTrace& rank) : rank_(rank) {
  for (size_t i = 0; i < rank.events.size(); ++i) {
    const Event& event = rank.events[i];
    if (event.kind != Kind::op && event.kind != Kind::annotation) continue;
    std::vector<Nested>& thread = threads_[event.lane];
    size_t around = thread.empty() ? kNobody : thread.size() - 1;
    while (around != kNobody && rank.events[thread[around].event].end_ns() <= event.start_ns)
      around = thread[around].around;
    thread.push_back({i, around});
  }
}

const Event* Operators::at(uint32_t lane, int64_t time_ns) const {
  const auto thread = threads_.find(lane);
  if (thread == threads_.end()) return nullptr;
  const std::vector<Nested>& all = thread->second;
  const auto begin = [&](const Nested& nested) { return rank_.events[nested.event].start_ns; };
  auto next = static_cast<size_t>(std::ranges::upper_bound(all, time_ns, {}, begin) - all.begin());
  for (size_t found = next == 0 ? kNobody : next - 1; found != kNobody; found = all[found].around)
    if (rank_.events[all[found].event].end_ns() > time_ns) return &rank_.events[all[found].event];
  return nullptr;
}

}  // namespace planner::trace
