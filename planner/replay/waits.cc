#include "planner/replay/waits.h"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <optional>

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// What the profiler says of a call that waits.
struct SaidWait {
  static constexpr uint32_t kIdle = trace::kNone - 1;

  uint32_t stream = trace::kNone;  // lane that waits, or that the host waits for
  uint32_t on = trace::kNone;      // lane that is waited for; kNone: unknown; kIdle: a stream without work
  int64_t record = -1;             // correlation of the call that recorded the event; -1: unknown
};

/// By the correlation of the call.
std::unordered_map<int64_t, SaidWait> said_of(const RankTrace& rank) {
  std::unordered_map<int64_t, SaidWait> said;
  std::map<std::pair<int64_t, int64_t>, uint32_t> streams;  // by device and number
  for (uint32_t lane = 0; lane < rank.lanes.size(); ++lane)
    if (rank.lanes[lane].on_device) streams.emplace(std::pair(rank.lanes[lane].process, rank.lanes[lane].thread), lane);
  for (const Event& event : rank.events) {
    if (event.kind != trace::EventKind::sync || event.correlation < 0) continue;
    SaidWait wait{.stream = event.lane};
    if (const trace::Detail* detail = rank.detail(event)) {
      const auto lane = streams.find({rank.lane(event).process, detail->wait_on_stream});
      if (detail->wait_on_stream >= 0) wait.on = lane == streams.end() ? SaidWait::kIdle : lane->second;
      wait.record = detail->wait_on_record;
    }
    said.emplace(event.correlation, wait);
  }
  return said;
}

/// Visits the calls of a rank in order.
class CallWalk {
 public:
  CallWalk(const RankTrace& rank, const Launched& launched) : rank_(rank), launched_(launched), said_(said_of(rank)) {
    for (const auto& [correlation, wait] : said_)
      if (wait.record >= 0) recorded_.emplace(wait.record, kNotYet);
  }

  void go(std::unordered_map<size_t, std::vector<size_t>>& sources, std::vector<std::vector<size_t>>& awaited) {
    for (const HostItem* call : launched_.calls()) {
      awaited.push_back(awaited_by(*call));
      if (call->role == CallRole::waits_event) expect(*call);
      for (const size_t event : launched_.by(*call)) {
        std::vector<size_t> waits = waits_of(event, lane_of(*call));
        if (!waits.empty()) sources.emplace(event, std::move(waits));
        launch(event, lane_of(*call));
      }
      if (!launched_.by(*call).empty()) unsaid_[lane_of(*call)] = 0;
      remember(*call);
    }
  }

 private:
  static constexpr size_t kNotYet = std::numeric_limits<size_t>::max();
  struct StreamLaunch {
    size_t number, event;  // the number counts those of all streams
  };

  uint32_t lane_of(const HostItem& call) const { return rank_.events[*call.event].lane; }
  const SaidWait* said(const HostItem& call) const {
    const auto at = said_.find(rank_.events[*call.event].correlation);
    return at == said_.end() ? nullptr : &at->second;
  }
  int64_t end(size_t event) const { return rank_.events[event].end_ns(); }

  // The last work launched in a stream before its event was recorded.
  std::optional<size_t> source_of(const SaidWait& wait) const {
    const auto stream = launches_.find(wait.on);
    if (stream == launches_.end()) return std::nullopt;
    const auto record = recorded_.find(wait.record);
    const size_t until = record == recorded_.end() ? kNotYet : record->second;
    const auto behind = std::ranges::upper_bound(stream->second, until, {}, &StreamLaunch::number);
    return behind == stream->second.begin() ? std::nullopt : std::optional((behind - 1)->event);
  }

  // A call that makes a stream wait.
  void expect(const HostItem& call) {
    const SaidWait* wait = said(call);
    if (!wait || wait->on == trace::kNone) return void(++unsaid_[lane_of(call)]);
    if (const std::optional<size_t> source = source_of(*wait)) expected_[wait->stream].push_back(*source);
  }

  std::vector<size_t> waits_of(size_t event, uint32_t thread) {
    const uint32_t stream = rank_.events[event].lane;
    std::vector<size_t> waits;
    const auto add = [&](size_t source) {
      if (rank_.events[source].lane != stream && end(source) <= rank_.events[event].start_ns + kTickNs)
        waits.push_back(source);
    };
    if (const auto expected = expected_.find(stream); expected != expected_.end()) {
      for (const size_t source : expected->second) add(source);
      expected_.erase(expected);
    }
    size_t left = unsaid_[thread];
    for (const uint32_t other : recent_) {
      if (left == 0) break;
      if (other == stream) continue;
      --left;
      add(last_.at(other));
    }
    return waits;
  }

  void launch(size_t event, uint32_t thread) {
    const uint32_t stream = rank_.events[event].lane;
    last_[stream] = event;
    launches_[stream].push_back({++launched_so_far_, event});
    used_[thread] = stream;
    const auto [at, is_new] = in_recent_.try_emplace(stream);
    if (!is_new) recent_.erase(at->second);
    at->second = recent_.insert(recent_.begin(), stream);
  }

  // A call that recorded an event that something waits for.
  void remember(const HostItem& call) {
    const auto record = recorded_.find(rank_.events[*call.event].correlation);
    if (record != recorded_.end() && record->second == kNotYet) record->second = launched_so_far_;
  }

  std::vector<size_t> awaited_by(const HostItem& call) const {
    if (launched_.awaited_copy(call)) return {launched_.by(call).front()};
    if (call.role == CallRole::sync_device) return all();
    return call.role == CallRole::sync_stream ? awaited_stream(call) : std::vector<size_t>{};
  }

  std::vector<size_t> all() const {
    std::vector<size_t> events;
    for (const auto& [stream, event] : last_) events.push_back(event);
    std::ranges::sort(events);
    return events;
  }

  // A stream, or an event of one.
  std::optional<size_t> said_stream(const HostItem& call) const {
    const SaidWait* wait = said(call);
    if (!wait) return std::nullopt;
    if (wait->on != trace::kNone) return source_of(*wait);
    const auto at = last_.find(wait->stream);
    return at == last_.end() ? std::nullopt : std::optional(at->second);
  }

  // Unknown: of the streams that were done when the call returned, the one that was done last while it waited; else the
  // one that the thread used last.
  std::vector<size_t> awaited_stream(const HostItem& call) const {
    const auto done = [&](size_t event) { return end(event) <= call.end_ns + kTickNs; };
    std::optional<size_t> found = said_stream(call);
    if (found) return done(*found) ? std::vector<size_t>{*found} : std::vector<size_t>{};
    for (const size_t event : all()) {
      const bool fits = end(event) > call.begin_ns && done(event);
      if (fits && (!found || end(event) > end(*found))) found = event;
    }
    const auto stream = used_.find(lane_of(call));
    if (!found && stream != used_.end() && done(last_.at(stream->second))) found = last_.at(stream->second);
    return found ? std::vector<size_t>{*found} : std::vector<size_t>{};
  }

  const RankTrace& rank_;
  const Launched& launched_;
  const std::unordered_map<int64_t, SaidWait> said_;
  std::unordered_map<int64_t, size_t> recorded_;                      // by correlation: how many were launched before
  std::unordered_map<uint32_t, std::vector<StreamLaunch>> launches_;  // by stream
  size_t launched_so_far_ = 0;
  std::unordered_map<uint32_t, size_t> last_;    // by stream: the last launch there
  std::unordered_map<uint32_t, uint32_t> used_;  // by thread: the stream that it used last
  std::list<uint32_t> recent_;                   // streams, the last one first
  std::unordered_map<uint32_t, std::list<uint32_t>::iterator> in_recent_;
  std::unordered_map<uint32_t, size_t> unsaid_;                 // by thread: calls that wait for an unknown stream
  std::unordered_map<uint32_t, std::vector<size_t>> expected_;  // by stream: what its next kernel waits for
};

}  // namespace

StreamWaits::StreamWaits(const RankTrace& rank, const Launched& launched) {
  CallWalk(rank, launched).go(sources_, awaited_);
}

std::span<const size_t> StreamWaits::of(size_t event) const {
  const auto at = sources_.find(event);
  return at == sources_.end() ? std::span<const size_t>() : std::span<const size_t>(at->second);
}

}  // namespace planner::replay
