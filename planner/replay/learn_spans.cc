#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "planner/replay/calls.h"
#include "planner/replay/spans.h"
#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::EventKind;
using trace::RankTrace;
using trace::TimeInterval;

bool is_operator(const Event& event) { return event.kind == EventKind::op || event.kind == EventKind::annotation; }

/// An operator that the thread is in. `before` none: what came before is not known.
struct SpanFrame {
  std::string_view name, shapes;
  int64_t end_ns = 0, cursor_ns = 0;
  std::optional<std::string_view> before;
  std::vector<SpanCall> calls = {};
  int64_t calls_ns = 0, call_end_ns = 0;
};

/// The threads of a rank.
class Learner {
 public:
  Learner(const RankTrace& rank, Statistics& statistics) : rank_(rank), statistics_(statistics) {
    lanes_.resize(rank.lanes.size());
    asked_.resize(rank.lanes.size());
    for (size_t i = 0; i < rank.events.size(); ++i) {
      const Event& event = rank.events[i];
      if (trace::is_on_device(event.kind)) {
        if (rank.launched_by[i] != trace::kNone) launched_[rank.launched_by[i]].push_back(i);
      } else if (event.kind != EventKind::sync) {
        lanes_[event.lane].push_back(i);
        const trace::Detail* detail = rank.detail(event);
        asked_[event.lane] = asked_[event.lane] || (detail && detail->forward_thread > 0);
      }
    }
  }

  void learn(TimeInterval window) {
    for (size_t lane = 0; lane < lanes_.size(); ++lane)
      if (std::ranges::any_of(lanes_[lane], [&](size_t i) { return is_operator(rank_.events[i]); }))
        learn_thread(lane, window);
  }

 private:
  void learn_thread(size_t lane, TimeInterval window) {
    frames_.assign(1, {.end_ns = window.end_ns, .cursor_ns = window.begin_ns});
    for (const size_t i : lanes_[lane]) {
      const Event& event = rank_.events[i];
      if (event.start_ns < window.begin_ns || event.start_ns >= window.end_ns) continue;
      if (trace::is_step_of(rank_, event)) {
        frames_.front() = {.end_ns = event.end_ns(), .cursor_ns = event.start_ns, .before = ""};
        continue;
      }
      leave(lane, event.start_ns);
      is_operator(event) ? enter(lane, i) : call(i);
    }
    leave(lane, window.end_ns);
    if (frames_.front().before) close(lane, "", frames_.front().end_ns);
  }

  void leave(size_t lane, int64_t until_ns) {
    while (frames_.size() > 1 && frames_.back().end_ns <= until_ns) {
      close(lane, "", frames_.back().end_ns);
      const SpanFrame left = std::move(frames_.back());
      frames_.pop_back();
      go_on(left.name, left.end_ns);
    }
  }

  void enter(size_t lane, size_t i) {
    const Event& event = rank_.events[i];
    const std::string_view name = rank_.name(event);
    close(lane, name, event.start_ns);
    const trace::Detail* detail = rank_.detail(event);
    const std::string_view shapes =
        detail && detail->shapes != trace::kNone ? std::string_view(rank_.names[detail->shapes]) : std::string_view();
    frames_.push_back({.name = name,
                       .shapes = shapes,
                       .end_ns = std::min(event.end_ns(), frames_.back().end_ns),
                       .cursor_ns = event.start_ns,
                       .before = ""});
  }

  // A call within a call is a part of it.
  void call(size_t i) {
    const Event& event = rank_.events[i];
    SpanFrame& frame = frames_.back();
    if (frame.calls.empty() || event.start_ns >= frame.call_end_ns) {
      frame.calls.push_back({.name = rank_.name(event), .waits = waits(event)});
      std::ranges::replace(frame.calls.back().name, ' ', '_');
      frame.call_end_ns = event.end_ns();
      frame.calls_ns += event.duration_ns;
    }
    const auto launched = launched_.find(i);
    if (launched == launched_.end()) return;
    for (const size_t k : launched->second) {
      const Event& kernel = rank_.events[k];
      frame.calls.back().waits |= kernel.kind == EventKind::copy && kernel.end_ns() <= event.end_ns();
      frame.calls.back().launched.push_back({rank_.lane(kernel).thread, kernel.kind, kernel.role, rank_.name(kernel)});
    }
  }

  bool waits(const Event& call) const {
    const CallRole role = role_of_call(rank_.name(call));
    return role == CallRole::sync_stream || role == CallRole::sync_device;
  }

  void go_on(std::string_view before, int64_t at_ns) {
    SpanFrame& frame = frames_.back();
    frame.before = before;
    frame.cursor_ns = std::min(at_ns, frame.end_ns);
    frame.calls.clear();
    frame.calls_ns = frame.call_end_ns = 0;
  }

  // The span that ends here.
  void close(size_t lane, std::string_view after, int64_t at_ns) {
    const SpanFrame& frame = frames_.back();
    if (!frame.before) return;
    const TimeInterval other = frame.calls.empty() ? work_of_others(lane, {frame.cursor_ns, at_ns}) : TimeInterval{};
    if (other.begin_ns == other.end_ns) return add(*frame.before, after, at_ns - frame.cursor_ns - frame.calls_ns);
    add(*frame.before, kOtherThread, other.begin_ns - frame.cursor_ns);
    add(kOtherThread, after, at_ns - other.end_ns);
  }

  void add(std::string_view before, std::string_view after, int64_t ns) {
    std::string begin;
    for (size_t f = frames_.size() - 1; f > 0; --f) {
      if (!begin.empty()) begin += " < ";
      begin += frames_[f].name;
    }
    const std::string_view said = frames_.back().shapes;
    const std::string shapes = said.empty() ? "" : trace::shapes_alone(said);  // empty where all inputs are lists
    if (frames_.size() > 1 && !shapes.empty()) begin += fmt::format(" @ {}", shapes);
    const std::string calls = text_of(frames_.back().calls);
    statistics_.add({.kind = TimeKind::span, .begin = begin, .end = calls, .before = before, .after = after},
                    static_cast<double>(std::max<int64_t>(ns, 0)));
  }

  // What threads of backward passes do in a time: from the first begin to the last end.
  TimeInterval work_of_others(size_t lane, TimeInterval in) const {
    TimeInterval work{in.end_ns, in.begin_ns};
    for (size_t other = 0; other < lanes_.size(); ++other) {
      if (other == lane || !asked_[other]) continue;
      const std::vector<size_t>& events = lanes_[other];
      auto at = std::ranges::lower_bound(events, in.begin_ns, {}, [&](size_t i) { return rank_.events[i].start_ns; });
      for (; at != events.end() && rank_.events[*at].start_ns < in.end_ns; ++at) {
        if (rank_.events[*at].end_ns() > in.end_ns) continue;
        work.begin_ns = std::min(work.begin_ns, rank_.events[*at].start_ns);
        work.end_ns = std::max(work.end_ns, rank_.events[*at].end_ns());
      }
    }
    return work.begin_ns < work.end_ns ? work : TimeInterval{};
  }

  const RankTrace& rank_;
  Statistics& statistics_;
  std::vector<std::vector<size_t>> lanes_;  // events of the host, by lane
  std::vector<bool> asked_;                 // by lane: whether it runs backward passes
  std::unordered_map<size_t, std::vector<size_t>> launched_;
  std::vector<SpanFrame> frames_;
};

}  // namespace

void learn_spans(const trace::Trace& trace, const trace::RankSteps& steps, Statistics& statistics) {
  for (size_t r = 0; r < trace.size(); ++r) {
    Learner learner(trace[r], statistics);
    for (const trace::Step& step : steps[r]) learner.learn(step.host);
  }
}

}  // namespace planner::replay
