#include "planner/trace/dpro_rank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "planner/trace/dpro_calls.h"

namespace planner::trace::dpro {
namespace {

constexpr int64_t kTickNs = 2000;  // by which times of one thread are off

/// Streams of a device: those of which events overlap become several.
class DeviceStreams {
 public:
  explicit DeviceStreams(RankTrace& trace) : trace_(trace) {}

  /// Returns the lane of an event. REQUIRES: events of a family come by their begins.
  uint32_t of(const std::string& family, EventSpan span) {
    std::multimap<int64_t, uint32_t>& ends = ends_[family];
    const auto behind = ends.upper_bound(span.start_ns + kTickNs);
    if (behind == ends.begin()) return ends.emplace(span.end_ns, add(static_cast<int64_t>(count_++)))->second;
    auto free = ends.extract(std::prev(behind));  // that which was busy last
    free.key() = std::max(free.key(), span.end_ns);
    return ends.insert(std::move(free))->second;
  }
  uint32_t of_key(int64_t key) {
    const auto [lane, is_new] = keys_.try_emplace(key, 0);
    return is_new ? lane->second = add(key) : lane->second;
  }

 private:
  uint32_t add(int64_t number) {
    trace_.lanes.push_back({.process = 0, .thread = number, .on_device = true});
    return static_cast<uint32_t>(trace_.lanes.size() - 1);
  }
  RankTrace& trace_;
  std::map<std::string, std::multimap<int64_t, uint32_t>> ends_;  // of each lane its last one
  std::map<int64_t, uint32_t> keys_;
  size_t count_ = 0;
};

std::vector<RankPiece> by_begin(std::vector<RankPiece> pieces) {
  std::ranges::stable_sort(pieces, {}, [](const RankPiece& each) { return each.span.start_ns; });
  return pieces;
}

// What begins and ends together is one, of several tensors.
std::vector<RankPiece> fused(std::vector<RankPiece> pieces) {
  std::map<std::pair<int64_t, int64_t>, std::vector<RankPiece>> together;
  for (RankPiece& piece : pieces) together[{piece.span.start_ns, piece.span.end_ns}].push_back(std::move(piece));
  std::vector<RankPiece> made;
  for (auto& [span, same] : together) {
    std::vector<std::pair<size_t, std::string>> names;  // 3 before 12
    for (const RankPiece& each : same) names.emplace_back(each.name.size(), each.name);
    std::ranges::sort(names);
    std::vector<std::string> texts;
    for (auto& [size, name] : names) texts.push_back(std::move(name));
    made.push_back(std::move(same.front()));
    made.back().name = fmt::format("{}", fmt::join(texts, "+"));
  }
  return made;
}

std::vector<RankPiece> of_chunks(const std::vector<RankPiece>& chunks) {
  std::map<std::pair<std::string, std::string>, int64_t> seen;  // of tensors, a chunk
  std::map<std::pair<std::string, int64_t>, RankPiece> whole;   // the k-th of its tensors
  for (const RankPiece& chunk : by_begin(chunks)) {
    const int64_t round = seen[{chunk.name, chunk.chunk}]++;
    const auto [at, is_new] = whole.try_emplace({chunk.name, round}, chunk);
    at->second.span.end_ns = std::max(at->second.span.end_ns, chunk.span.end_ns);
  }
  std::vector<RankPiece> made;
  for (auto& [name, piece] : whole) made.push_back(std::move(piece));
  return by_begin(std::move(made));
}

/// Puts events of the device and of what loads the input into a trace.
class Maker {
 public:
  explicit Maker(RankTrace& trace) : trace_(trace), streams_(trace) {
    trace_.lanes.push_back({.process = 0, .thread = 0});  // the host that launches
    trace_.lanes.push_back({.process = 0, .thread = 1});
  }

  void operators(const std::vector<RankPiece>& pieces) {
    for (const RankPiece& piece : by_begin(pieces)) {
      const bool updates = piece.name.starts_with("UPDATE_");
      device(piece, EventKind::kernel, Role::compute, piece.name, fmt::format("operators {}", piece.thread),
             updates ? DeviceWait::communication : DeviceWait::none);
    }
  }
  void copies(const std::vector<RankPiece>& pieces) {
    for (const RankPiece& piece : fused(pieces))
      device(piece, EventKind::copy, Role::memory, fmt::format("Comm.{}.MEMCPY", piece.name), "copies",
             DeviceWait::others);
  }
  void reductions(const std::vector<RankPiece>& pieces) {
    for (const RankPiece& piece : pieces) {
      device(piece, EventKind::kernel, Role::communication, fmt::format("Comm.{}.ALLREDUCE", piece.name), "reductions",
             DeviceWait::work);
      const uint32_t collective = trace_.names.number("allreduce");
      made_.back().event.detail = trace_.add({.collective = collective, .group = trace_.names.number(piece.name)});
    }
  }
  void exchanges(const std::vector<ServerExchange>& exchanges) {
    for (const ServerExchange& each : exchanges) {
      const bool pushes = each.kind == EventKind::push;
      add(each.span, -1, each.kind, Role::communication,
          fmt::format("Comm.{}.{}", each.tensor, pushes ? "PUSH" : "PULL"), streams_.of_key(each.key),
          pushes ? DeviceWait::work : DeviceWait::none);
    }
  }
  void loads(const std::vector<RankPiece>& pieces) {
    for (const RankPiece& piece : pieces)
      trace_.events.push_back({.start_ns = piece.span.start_ns,
                               .duration_ns = piece.span.end_ns - piece.span.start_ns,
                               .name = trace_.names.number(piece.name),
                               .lane = 1,
                               .kind = EventKind::op});
  }
  std::vector<DeviceEvent> take() { return std::move(made_); }

 private:
  void device(const RankPiece& piece, EventKind kind, Role role, const std::string& name, const std::string& family,
              DeviceWait waits) {
    add(piece.span, piece.step, kind, role, name, streams_.of(family, piece.span), waits);
  }
  void add(EventSpan span, int64_t step, EventKind kind, Role role, const std::string& name, uint32_t lane,
           DeviceWait waits) {
    made_.push_back({.event = {.start_ns = span.start_ns,
                               .duration_ns = span.end_ns - span.start_ns,
                               .name = trace_.names.number(name),
                               .lane = lane,
                               .kind = kind,
                               .role = role},
                     .step = role == Role::compute ? step : -1,
                     .waits = waits});
  }

  RankTrace& trace_;
  DeviceStreams streams_;
  std::vector<DeviceEvent> made_;
};

/// Returns the all-reduces of a rank: what Horovod says of each as a whole, where those of tensors that begin and end
/// together are one, "3" and "7" "3+7"; of a rank without these the k-th of its tensors, from the first begin to the
/// last end of its chunks.
std::vector<RankPiece> reductions_of(const DproWork& work) {
  return work.reductions.empty() ? of_chunks(work.chunks) : fused(work.reductions);
}

}  // namespace

RankTrace rank_of(const DproWork& work) {
  RankTrace trace;
  Maker maker(trace);
  maker.operators(work.operators);
  maker.copies(work.copies);
  maker.reductions(reductions_of(work));
  maker.exchanges(work.exchanges);
  maker.loads(work.loads);
  launch_all(maker.take(), trace);
  sort_events(trace);
  return trace;
}

}  // namespace planner::trace::dpro
