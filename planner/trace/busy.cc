#include "planner/trace/busy.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace planner::trace {

void Union::add(TimeInterval interval) {
  if (interval.end_ns <= interval.begin_ns) return;
  if (parts_.empty() || interval.begin_ns > parts_.back().end_ns) {
    parts_.push_back(interval);
    length_ += interval.end_ns - interval.begin_ns;
  } else if (interval.end_ns > parts_.back().end_ns) {
    length_ += interval.end_ns - parts_.back().end_ns;
    parts_.back().end_ns = interval.end_ns;
  }
}

bool Union::covers(int64_t at_ns) const {
  const auto part = std::ranges::upper_bound(parts_, at_ns, {}, &TimeInterval::end_ns);
  return part != parts_.end() && part->begin_ns <= at_ns;
}

int64_t common_ns(const Union& a, const Union& b) {
  int64_t common = 0;
  size_t i = 0, j = 0;
  while (i < a.parts().size() && j < b.parts().size()) {
    const TimeInterval &x = a.parts()[i], &y = b.parts()[j];
    common += std::max<int64_t>(0, std::min(x.end_ns, y.end_ns) - std::max(x.begin_ns, y.begin_ns));
    x.end_ns < y.end_ns ? ++i : ++j;
  }
  return common;
}

namespace {

constexpr TimeInterval kEver{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

/// Adds events by their begins.
class BusySum {
 public:
  void add(Role role, TimeInterval interval) {
    ++events_;
    all_.add(interval);
    (role == Role::compute ? compute_ : role == Role::communication ? communication_ : memory_).add(interval);
    if (role != Role::communication) others_.add(interval);
    if (role != Role::memory) kernels_.add(interval);
    window_ = {std::min(window_.begin_ns, interval.begin_ns), std::max(window_.end_ns, interval.end_ns)};
  }
  TimeInterval window() const { return events_ > 0 ? window_ : TimeInterval{}; }
  Busy busy(TimeInterval window) const {
    return {.window_ns = window.end_ns - window.begin_ns,
            .busy_ns = all_.length_ns(),
            .compute_ns = compute_.length_ns(),
            .communication_ns = communication_.length_ns(),
            .memory_ns = memory_.length_ns(),
            .overlap_ns = common_ns(communication_, compute_),
            .doubled_ns = common_ns(communication_, compute_) + common_ns(memory_, kernels_),
            .exposed_ns = communication_.length_ns() - common_ns(communication_, others_),
            .events = events_};
  }

 private:
  Union all_, compute_, communication_, memory_, others_, kernels_;
  TimeInterval window_{kEver.end_ns, kEver.begin_ns};
  int64_t events_ = 0;
};

void add(const Event& event, TimeInterval clip, BusySum& sum) {
  const TimeInterval part{std::max(event.start_ns, clip.begin_ns), std::min(event.end_ns(), clip.end_ns)};
  if (is_on_device(event.kind) && part.begin_ns <= part.end_ns) sum.add(event.role, part);
}

BusySum sum_within(const RankTrace& trace, TimeInterval clip) {
  BusySum sum;
  for (const Event& event : trace.events) add(event, clip, sum);
  return sum;
}

}  // namespace

Busy busy_of(const RankTrace& trace) {
  const BusySum sum = sum_within(trace, kEver);
  return sum.busy(sum.window());
}

Busy busy_within(const RankTrace& trace, TimeInterval clip) { return sum_within(trace, clip).busy(clip); }

Busy busy_of(const RankTrace& trace, std::span<const size_t> events, TimeInterval& window) {
  BusySum sum;
  for (const size_t i : events) add(trace.events[i], kEver, sum);
  window = sum.window();
  return sum.busy(window);
}

std::vector<StreamBusy> streams_of(const RankTrace& trace) {
  std::vector<StreamBusy> streams;
  std::vector<Union> unions;
  std::unordered_map<uint32_t, size_t> numbers;  // by lane
  for (const Event& event : trace.events) {
    if (!is_on_device(event.kind)) continue;
    const auto [at, is_new] = numbers.try_emplace(event.lane, streams.size());
    if (is_new) {
      streams.push_back({.lane = event.lane});
      unions.emplace_back();
    }
    StreamBusy& stream = streams[at->second];
    ++stream.events;
    stream.sum_ns += event.duration_ns;
    stream.communications += event.role == Role::communication;
    unions[at->second].add({event.start_ns, event.end_ns()});
    stream.busy_ns = unions[at->second].length_ns();
  }
  return streams;
}

}  // namespace planner::trace
