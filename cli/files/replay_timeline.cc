#include "cli/files/replay_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace cli {
namespace {

namespace trace = planner::trace;
namespace replay = planner::replay;

class Timeline {
 public:
  Timeline(const Measured& m, const std::optional<std::vector<int64_t>>& ranks, const TraceEvents::Sink& sink)
      : m_(m), runs_(m.changed.empty() ? m.runs : m.changed), ranks_(ranks), events_(sink) {
    for (const replay::Transfer& transfer : m.replayed.transfers) transfers_.emplace(transfer.arrival, &transfer);
    if (runs_.empty()) return;
    begin_ns_ = runs_.front().begin_ns;
    for (size_t r = 0; r < m.trace.size(); ++r)
      for (size_t i = 0; i < m.trace[r].events.size(); ++i)
        if (const uint32_t node = m.replayed.events[r][i].first; node != replay::Run::kNone && !is_removed(r, i))
          begin_ns_ = std::min(begin_ns_, runs_[node].begin_ns);
  }

  void write() {
    for (size_t r = 0; r < m_.trace.size(); ++r) {
      if (!shows(r)) continue;
      name_lanes(r);
      for (size_t i = 0; i < m_.trace[r].events.size(); ++i)
        if (!is_removed(r, i)) add(r, i);
    }
    for (const replay::PutIn& each : m_.applied.rebucketed.put_in)
      if (shows(each.rank)) add(each);
    if (m_.changed.empty()) add_path();
    events_.end();
  }

 private:
  int64_t process_of(size_t rank) const { return *m_.trace[rank].rank; }

  bool shows(size_t rank) const { return !ranks_ || std::ranges::binary_search(*ranks_, process_of(rank)); }

  void name_lanes(size_t r) {
    const trace::RankTrace& rank = m_.trace[r];
    events_.name_process(process_of(r), fmt::format("rank {}", *rank.rank));
    for (size_t lane = 0; lane < rank.lanes.size(); ++lane) {
      const trace::Lane& each = rank.lanes[lane];
      const std::string name = each.on_device ? fmt::format("device {} stream {}", each.process, each.thread)
                                              : fmt::format("thread {}", each.thread);
      events_.name_thread(process_of(r), static_cast<int64_t>(lane), name);
    }
  }

  bool is_removed(size_t r, size_t i) const {
    const std::vector<std::vector<bool>>& removed = m_.applied.rebucketed.removed;
    return !removed.empty() && removed[r][i];
  }

  void add(const replay::PutIn& each) {
    const std::string name = fmt::format("reduction of bucket {}", each.bucket + 1);
    const int64_t joined = runs_[each.join].begin_ns, process = process_of(each.rank);
    if (joined > runs_[each.arrival].begin_ns)
      row(name + " (waits)", "wait", runs_[each.arrival].begin_ns, joined, process, each.lane);
    row(name, "communication", joined, runs_[each.end].end_ns, process, each.lane);
  }

  void add(size_t r, size_t i) {
    const replay::EventNodes& nodes = m_.replayed.events[r][i];
    if (nodes.first == replay::Run::kNone) return;
    const trace::Event& event = m_.trace[r].events[i];
    const char* category = !trace::is_on_device(event.kind)           ? "call"
                           : event.role == trace::Role::communication ? "communication"
                           : event.role == trace::Role::memory        ? "memory"
                                                                      : "compute";
    int64_t begin = runs_[nodes.first].begin_ns;
    const int64_t end = runs_[nodes.last].end_ns;
    if (const auto transfer = transfers_.find(nodes.first); transfer != transfers_.end()) {
      const int64_t joined = std::min(end, runs_[transfer->second->join].begin_ns);
      const trace::Collective& collective = m_.matched.collectives[transfer->second->collective];
      row(fmt::format("{} (waits)", collective.name), "wait", begin, joined, process_of(r), event.lane);
      begin = std::max(begin, joined);
    }
    row(m_.trace[r].name(event), category, begin, end, process_of(r), event.lane);
  }

  void add_path() {
    const int64_t process = process_of(m_.trace.size() - 1) + 1;
    events_.name_process(process, "critical path");
    for (const replay::PathPiece& piece : m_.path)
      if (shows(piece.rank))
        row(piece.name, name_of(piece.piece), piece.begin_ns, piece.begin_ns + piece.seconds_ns, process, 0,
            fmt::format("\"rank\": {}", process_of(piece.rank)));
  }

  void row(std::string_view name, std::string_view category, int64_t begin_ns, int64_t end_ns, int64_t process,
           int64_t thread, std::string_view arguments = {}) {
    if (end_ns < begin_ns) return;
    events_.add({.name = name,
                 .category = category,
                 .start_us = static_cast<double>(begin_ns - begin_ns_) * 1e-3,
                 .duration_us = static_cast<double>(end_ns - begin_ns) * 1e-3,
                 .process = process,
                 .thread = thread,
                 .arguments = arguments});
  }

  const Measured& m_;
  const std::vector<replay::Run>& runs_;
  const std::optional<std::vector<int64_t>>& ranks_;  // that are shown; nullopt: all
  TraceEvents events_;
  std::unordered_map<uint32_t, const replay::Transfer*> transfers_;  // by the node of the arrival
  int64_t begin_ns_ = 0;
};

}  // namespace

void write_replay_timeline(const Measured& measured, const TraceEvents::Sink& sink,
                           const std::optional<std::vector<int64_t>>& ranks) {
  Timeline(measured, ranks, sink).write();
}

}  // namespace cli
