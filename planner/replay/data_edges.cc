#include "planner/replay/data_edges.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

using Kernels = std::vector<uint32_t>;  // events

/// The device work of each operator: launched during it, in its thread.
class KernelsOf {
 public:
  KernelsOf(const RankTrace& rank, const std::vector<EventNodes>& nodes) : rank_(rank) {
    for (uint32_t i = 0; i < rank.events.size(); ++i) {
      const uint32_t call = rank.launched_by[i];
      if (call == trace::kNone || nodes[i].first == Run::kNone) continue;
      launches_[rank.events[call].lane].emplace_back(rank.events[call].start_ns, i);
    }
    for (auto& [lane, launches] : launches_) std::ranges::sort(launches);
  }

  /// Of each stream the first one, or the last one.
  Kernels of(uint32_t op, bool last) const {
    const Event& event = rank_.events[op];
    const auto lane = launches_.find(event.lane);
    if (lane == launches_.end()) return {};
    std::map<uint32_t, uint32_t> of_stream;
    const auto first = std::ranges::lower_bound(lane->second, std::pair(event.start_ns, uint32_t{0}));
    for (auto at = first; at != lane->second.end() && at->first < event.end_ns(); ++at) {
      const auto [stream, is_new] = of_stream.try_emplace(rank_.events[at->second].lane, at->second);
      if (!is_new && (rank_.events[at->second].start_ns > rank_.events[stream->second].start_ns) == last)
        stream->second = at->second;
    }
    Kernels kernels;
    for (const auto& [stream, kernel] : of_stream) kernels.push_back(kernel);
    return kernels;
  }

 private:
  const RankTrace& rank_;
  std::map<uint32_t, std::vector<std::pair<int64_t, uint32_t>>> launches_;  // by thread: when, and of what
};

/// The kernels that an operator's results come from: its own, or else those of what it needs.
class Sources {
 public:
  // Operators are in the order of their begins, so that all earlier ones are known.
  Sources(const KernelsOf& kernels, std::span<const trace::Dependency> dependencies) : kernels_(kernels) {
    std::map<uint32_t, std::set<uint32_t>> needs;
    for (const trace::Dependency& each : dependencies)
      if (each.from < each.to) needs[each.to].insert(each.from);
    for (const auto& [op, all] : needs)
      if (kernels.of(op, true).empty()) passed_on_[op] = sources_of(all);
  }

  Kernels of(uint32_t op) const {
    const auto passed_on = passed_on_.find(op);
    return passed_on == passed_on_.end() ? kernels_.of(op, true) : passed_on->second;
  }

 private:
  Kernels sources_of(const std::set<uint32_t>& ops) const {
    std::set<uint32_t> all;
    for (const uint32_t op : ops)
      for (const uint32_t kernel : of(op)) all.insert(kernel);
    return {all.begin(), all.end()};
  }

  const KernelsOf& kernels_;
  std::map<uint32_t, Kernels> passed_on_;  // by operator
};

}  // namespace

size_t add_data_edges(const RankTrace& rank, size_t number, std::span<const trace::Dependency> dependencies,
                      Replayed& replayed) {
  const std::vector<EventNodes>& nodes = replayed.events[number];
  const KernelsOf kernels(rank, nodes);
  const Sources sources(kernels, dependencies);
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (const trace::Dependency& each : dependencies)
    for (const uint32_t to : kernels.of(each.to, false))
      for (const uint32_t from : sources.of(each.from))
        if (from < to && rank.events[from].end_ns() <= rank.events[to].start_ns) pairs.emplace(to, from);
  for (const auto& [to, from] : pairs)
    replayed.graph.add({.from = nodes[from].last, .to = nodes[to].first, .cause = Cause::data});
  return pairs.size();
}

}  // namespace planner::replay
