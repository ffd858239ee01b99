#include "planner/replay/host.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planner::replay {
namespace {

using trace::Event;
using trace::EventKind;
using trace::RankTrace;

/// Threads by their lanes: outermost calls, and where a thread begins and ends.
class Threads {
 public:
  explicit Threads(const RankTrace& rank) : rank_(rank), launches_(rank.events.size()) {
    for (const uint32_t call : rank.launched_by)
      if (call != trace::kNone) launches_[call] = true;
    for (size_t i = 0; i < rank.events.size(); ++i) add(i);
  }

  HostThreads host() {
    HostThreads host;
    host.within = std::move(within_);
    const bool any_works =
        std::ranges::any_of(threads_, [](const auto& each) { return each.second.works && each.second.calls > 0; });
    for (auto& [lane, thread] : threads_) {
      if (!thread.steps && (thread.calls == 0 || (any_works && !thread.works))) continue;
      std::vector<HostItem>& items = thread.items;
      items.insert(items.begin(), {.begin_ns = thread.begin_ns, .end_ns = thread.begin_ns});
      items.push_back({.begin_ns = std::max(thread.end_ns, items.back().end_ns),
                       .end_ns = std::max(thread.end_ns, items.back().end_ns)});
      host.lanes.push_back(lane);
      host.threads.push_back(std::move(items));
      if (weight(thread) > weight(threads_[host.lanes[host.primary]])) host.primary = host.threads.size() - 1;
    }
    return host;
  }

 private:
  struct HostThread {
    std::vector<HostItem> items;
    int64_t begin_ns = 0, end_ns = 0;
    size_t calls = 0;
    bool known = false, steps = false;
    bool works = false;  // it has operators or launches something; a watchdog that asks now and then does not
  };
  static std::pair<bool, size_t> weight(const HostThread& thread) { return {thread.steps, thread.calls}; }

  void add(size_t i) {
    const Event& event = rank_.events[i];
    if (trace::is_on_device(event.kind) || event.kind == EventKind::sync) return;
    HostThread& thread = threads_[event.lane];
    if (!std::exchange(thread.known, true)) thread.begin_ns = thread.end_ns = event.start_ns;  // may be below 0
    thread.end_ns = std::max(thread.end_ns, event.end_ns());
    if (event.kind == EventKind::annotation) thread.steps |= trace::is_step_of(rank_, event);
    thread.works |= event.kind == EventKind::op || launches_[i];
    if (event.kind != EventKind::runtime) return;
    ++thread.calls;
    if (!thread.items.empty() && event.start_ns < thread.items.back().end_ns)
      return void(within_.emplace_back(i, *thread.items.back().event));
    thread.items.push_back(
        {.begin_ns = event.start_ns, .end_ns = event.end_ns(), .event = i, .role = role_of_call(rank_.name(event))});
  }

  const RankTrace& rank_;
  std::vector<bool> launches_;  // by event: a call that launched something
  std::map<uint32_t, HostThread> threads_;
  std::vector<std::pair<size_t, size_t>> within_;
};

// Inserts a moment: before items that begin at that time, behind those that have begun.
void mark(std::vector<HostItem>& items, int64_t at, size_t number) {
  const auto place = std::ranges::lower_bound(items, at, {}, &HostItem::begin_ns);
  items.insert(place, {.begin_ns = at, .end_ns = at, .mark = number});
}

// Steps may overlap: where a mark is in the end is known when all are there.
void mark_steps(const std::vector<trace::Step>& steps, HostThreads& host) {
  std::vector<HostItem>& items = host.threads[host.primary];
  for (const trace::Step& step : steps) {
    if (!step.is_marked()) return;
    mark(items, step.host.begin_ns, 2 * host.steps.size());
    mark(items, step.host.end_ns, 2 * host.steps.size() + 1);
    host.steps.emplace_back();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].mark) continue;
    HostThreads::StepMarks& marks = host.steps[*items[i].mark / 2];
    (*items[i].mark % 2 == 0 ? marks.begin : marks.end) = i;
  }
}

// Operators of a thread, by begin.
std::vector<trace::TimeInterval> ops_of(const RankTrace& rank, uint32_t lane) {
  std::vector<trace::TimeInterval> ops;
  for (const Event& event : rank.events)
    if (event.lane == lane && event.kind == EventKind::op) ops.push_back({event.start_ns, event.end_ns()});
  return ops;
}

// Whether a thread mostly waits in an interval: the engine of a backward pass gives a node or two to the requesting
// thread.
bool waits_in(const std::vector<trace::TimeInterval>& ops, int64_t begin, int64_t end) {
  constexpr int64_t kMostBusy = 10;  // of a hundred
  trace::Union busy;
  for (auto op = std::ranges::upper_bound(ops, begin, {}, &trace::TimeInterval::begin_ns);
       op != ops.end() && op->begin_ns < end; ++op)
    busy.add({op->begin_ns, std::min(op->end_ns, end)});
  return 100 * busy.length_ns() <= kMostBusy * (end - begin);
}

/// The item before which another thread's items come.
size_t following(const std::vector<HostItem>& items, int64_t at) {
  return static_cast<size_t>(std::ranges::upper_bound(items, at, {}, &HostItem::begin_ns) - items.begin());
}

// Work of a thread between two items of the primary thread, while that is idle.
void find_hand_overs(const RankTrace& rank, size_t lane, HostThreads& host) {
  const std::vector<HostItem>&primary = host.threads[host.primary], &items = host.threads[lane];
  const std::vector<trace::TimeInterval> ops = ops_of(rank, host.lanes[host.primary]);
  for (size_t first = 0, last = 0; first < items.size(); first = last + 1) {
    const size_t to = following(primary, items[first].begin_ns);
    for (last = first; last + 1 < items.size() && following(primary, items[last + 1].begin_ns) == to;) ++last;
    const bool over = to == primary.size() || items[last].end_ns <= primary[to].begin_ns;
    const bool waits = over && to > 0 && waits_in(ops, items[first].begin_ns, items[last].end_ns);
    if (waits) host.hand_overs.push_back({to - 1, to, lane, first, last});
  }
}

}  // namespace

HostThreads host_of(const RankTrace& rank, const std::vector<trace::Step>& steps) {
  HostThreads host = Threads(rank).host();
  if (host.threads.empty()) return host;
  mark_steps(steps, host);
  for (size_t lane = 0; lane < host.threads.size(); ++lane)
    if (lane != host.primary) find_hand_overs(rank, lane, host);
  for (std::vector<HostItem>& items : host.threads)
    for (size_t i = 1; i < items.size(); ++i) items[i].lag_ns = items[i].begin_ns - items[i - 1].end_ns;
  for (const HandOver& over : host.hand_overs) {
    if (over.to < host.threads[host.primary].size()) host.threads[host.primary][over.to].lag_ns = 0;
    host.threads[over.lane][over.first].lag_ns = 0;
  }
  return host;
}

Launched::Launched(const trace::RankTrace& rank, HostThreads& host) : rank_(rank), by_call_(rank.launched_by) {
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
  return event.kind == trace::EventKind::copy && event.end_ns() <= call.end_ns ? &event : nullptr;
}

}  // namespace planner::replay
