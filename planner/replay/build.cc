#include "planner/replay/build.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/replay/host.h"
#include "planner/replay/waits.h"

namespace planner::replay {
namespace {

constexpr int64_t kOwnCallNs = 10000;  // the longest own time of a call that waits for the device

uint32_t number_of(const HostItem& item) { return item.event ? static_cast<uint32_t>(*item.event) : trace::kNone; }

/// One rank while its graph is built: its threads and its streams, each in order, and their dependencies.
class RankGraph {
 public:
  /// All of these outlive it; `made` gets the graph.
  RankGraph(const trace::RankTrace& rank, const std::vector<trace::Step>& steps, Replayed& made)
      : rank_(rank),
        number_(static_cast<uint32_t>(made.events.size())),
        made_(made),
        graph_(made.graph),
        host_(host_of(rank, steps)),
        launched_(rank, host_),
        waits_(rank, launched_),
        nodes_(rank.events.size()) {}

  /// Adds the rank. `shared`: for each event whether it is one of several ranks, whose end is known when all are there;
  /// it has two nodes, its arrival and its end.
  void build(const std::vector<bool>& shared) {
    make_room();
    add_host_nodes();
    add_device_nodes(shared);
    chain_host();
    chain_device();
    synchronise_host();
    finish();
  }

 private:
  /// What a device's event waited for last, other than its launch.
  struct ReadyEdge {
    int64_t at_ns = kNever;
    size_t edge = 0;
  };

  // About as much as there will be: a vector that doubles holds three times as much for a moment.
  void make_room() {
    const size_t calls = launched_.calls().size(), device = launched_.device().size();
    const auto more = [](auto& list, size_t count) {
      if (list.size() + count > list.capacity())
        list.reserve(std::max(list.size() + count, list.capacity() + list.capacity() / 4));
    };
    more(graph_.nodes, calls + device);
    more(graph_.edges, calls + 2 * device);
    more(made_.host, 2 * calls);
  }

  // A node for each call, and two for one that waits for its device: before it waits, and when it returns.
  void add_host_nodes() {
    for (std::vector<HostItem>& items : host_.threads)
      for (HostItem& item : items) {
        const bool splits = waits_for_device(item);
        item.first = item.last =
            graph_.add({.duration_ns = splits ? std::min(item.duration_ns(), kOwnCallNs) : item.duration_ns()});
        if (splits) item.last = graph_.add(ReplayNode{});
        if (splits) graph_.add({.from = item.first, .to = item.last});
        if (!item.event) continue;
        nodes_[*item.event] = {item.first, item.last};
        made_.host.push_back({.rank = number_,
                              .lane = rank_.events[*item.event].lane,
                              .begin_ns = item.begin_ns,
                              .end_ns = item.end_ns,
                              .node = item.first,
                              .after = number_of(item)});
      }
    if (host_.threads.empty()) return;
    HostItem& begin = host_.threads[host_.primary].front();
    graph_.nodes[begin.first].earliest_ns = begin.begin_ns;
  }

  void add_device_nodes(const std::vector<bool>& shared) {
    for (const size_t i : launched_.device()) {
      const uint32_t first = graph_.add({.duration_ns = shared[i] ? 0 : rank_.events[i].duration_ns});
      nodes_[i] = {first, shared[i] ? graph_.add(ReplayNode{}) : first};
    }
  }

  // The order of each thread, and where one thread hands over to another.
  void chain_host() {
    for (size_t t = 0; t < host_.threads.size(); ++t)
      for (size_t i = 1; i < host_.threads[t].size(); ++i) {
        const HostItem &from = host_.threads[t][i - 1], &to = host_.threads[t][i];
        if (to.lag_ns > 0) note_time(t, from, to);
        graph_.add({.from = from.last, .to = to.first, .lag_ns = to.lag_ns});
      }
    hand_over();
  }

  void hand_over() {
    std::vector<bool> begun(host_.threads.size());
    const auto add = [&](const HostItem& from, const HostItem& to, size_t thread) {
      const bool begins = from.end_ns > to.begin_ns;  // the other begins while this one still runs
      if (!begins) note_time(thread, from, to);
      graph_.add({.from = begins ? from.first : from.last,
                  .to = to.first,
                  .lag_ns = to.begin_ns - (begins ? from.begin_ns : from.end_ns),
                  .cause = Cause::hand_over,
                  .from_begin = begins});
    };
    for (const HandOver& over : host_.hand_overs) {
      const std::vector<HostItem>&primary = host_.threads[host_.primary], &other = host_.threads[over.lane];
      add(primary[over.from], other[over.first], over.lane);
      if (over.to < primary.size()) add(other[over.last], primary[over.to], host_.primary);
      if (over.first == 0) begun[over.lane] = true;
    }
    for (size_t t = 0; t < host_.threads.size(); ++t)
      if (t != host_.primary && !begun[t])
        begin_with_rank(host_.threads[t].front().first, host_.threads[t].front().begin_ns);
  }

  // Of the edge that is added next.
  void note_time(size_t thread, const HostItem& from, const HostItem& to) {
    made_.host.push_back({.rank = number_,
                          .lane = host_.lanes[thread],
                          .begin_ns = from.end_ns,
                          .end_ns = to.begin_ns,
                          .edge = static_cast<uint32_t>(graph_.edges.size()),
                          .before = number_of(from),
                          .after = number_of(to)});
  }

  // Launches, the order of each stream, and events of others that it waits for.
  void chain_device() {
    const int64_t typical = typical_launch();
    made_.typical_launch_ns.push_back(typical);
    std::unordered_map<uint32_t, size_t> before;
    for (const size_t i : launched_.device()) {
      const trace::Event& event = rank_.events[i];
      ReadyEdge ready;
      const auto wait = [&](size_t source, Cause cause) {
        const int64_t end = rank_.events[source].end_ns();
        if (end >= ready.at_ns) ready = {end, graph_.edges.size()};
        const int64_t overlap = std::min<int64_t>(0, event.start_ns - end);  // by what a profiler's times are off
        graph_.add({.from = nodes_[source].last, .to = nodes_[i].first, .lag_ns = overlap, .cause = cause});
      };
      if (const auto previous = before.find(event.lane); previous != before.end()) wait(previous->second, Cause::order);
      for (const size_t source : waits_.of(i)) wait(source, Cause::event);
      before[event.lane] = i;
      launch(i, ready, typical);
    }
  }

  int64_t typical_launch() const {
    std::vector<int64_t> idle;
    std::unordered_map<uint32_t, int64_t> ends;
    for (const size_t i : launched_.device()) {
      const trace::Event& event = rank_.events[i];
      const HostItem* call = launched_.call_of(i);
      int64_t& end = ends.try_emplace(event.lane, kNever).first->second;
      const bool alone = waits_.of(i).empty() && call && end <= call->begin_ns;
      if (alone) idle.push_back(event.start_ns - call->begin_ns);
      end = std::max(end, event.end_ns());
    }
    if (idle.empty()) return 0;
    std::ranges::nth_element(idle, idle.begin() + static_cast<std::ptrdiff_t>(idle.size() / 2));
    return std::max<int64_t>(0, idle[idle.size() / 2]);
  }

  void launch(size_t i, const ReadyEdge& ready, int64_t typical) {
    const trace::Event& event = rank_.events[i];
    const HostItem* call = launched_.call_of(i);
    if (!call) {
      if (ready.at_ns == kNever) begin_with_rank(nodes_[i].first, event.start_ns);
      else graph_.edges[ready.edge].lag_ns = event.start_ns - ready.at_ns;
      return;
    }
    int64_t lag = event.start_ns - call->begin_ns;
    if (ready.at_ns != kNever && ready.at_ns > call->begin_ns + typical) {  // it was there and had to wait
      graph_.edges[ready.edge].lag_ns = event.start_ns - ready.at_ns;
      lag = std::min(lag, typical);
    }
    graph_.add({.from = call->first, .to = nodes_[i].first, .lag_ns = lag, .cause = Cause::launch, .from_begin = true});
  }

  void synchronise_host() {
    for (const HostItem* call : launched_.calls())
      if (waits_for_device(*call)) wait(*call, waits_.of(*call));
  }

  // The call returns when all of these are done, as long after the last of them as it did, if it waited at all.
  void wait(const HostItem& call, std::span<const size_t> events) {
    int64_t latest = kNever;
    for (const size_t event : events) latest = std::max(latest, rank_.events[event].end_ns());
    const bool waited = latest > call.begin_ns;
    for (const size_t event : events)
      graph_.add({.from = nodes_[event].last,
                  .to = call.last,
                  .lag_ns = waited ? call.end_ns - latest : 0,
                  .cause = Cause::sync});
    if (!waited) graph_.nodes[call.first].duration_ns = call.duration_ns();
  }

  void finish() {
    const uint32_t end = graph_.add(ReplayNode{});
    for (const std::vector<HostItem>& items : host_.threads) graph_.add({.from = items.back().last, .to = end});
    std::map<uint32_t, size_t> last;  // by stream
    for (const size_t i : launched_.device()) last[rank_.events[i].lane] = i;
    for (const auto& [stream, event] : last) graph_.add({.from = nodes_[event].last, .to = end});
    std::vector<StepNodes> steps;
    for (const HostThreads::StepMarks& marks : host_.steps) {
      const std::vector<HostItem>& primary = host_.threads[host_.primary];
      steps.push_back({primary[marks.begin].first, primary[marks.end].last});
    }
    if (steps.empty()) steps.push_back({begin_of_all(), end});
    made_.events.push_back(std::move(nodes_));
    made_.steps.push_back(std::move(steps));
    made_.ends.push_back(end);
  }

  // A node that nothing comes before.
  uint32_t begin_of_all() {
    int64_t begin = std::numeric_limits<int64_t>::max();
    for (const trace::Event& event : rank_.events) begin = std::min(begin, event.start_ns);
    if (host_.threads.empty()) return graph_.add({.duration_ns = 0, .earliest_ns = begin});
    const uint32_t node = graph_.add(ReplayNode{});
    begin_with_rank(node, begin);
    return node;
  }

  // Whether a call returns when the device has done something.
  bool waits_for_device(const HostItem& item) const {
    return item.role == CallRole::sync_device || item.role == CallRole::sync_stream || launched_.awaited_copy(item);
  }

  // What nothing else says the time of comes as long after the rank's begin as it did.
  void begin_with_rank(uint32_t node, int64_t at) {
    if (host_.threads.empty()) return void(graph_.nodes[node].earliest_ns = at);
    const HostItem& begin = host_.threads[host_.primary].front();
    graph_.add(
        {.from = begin.first, .to = node, .lag_ns = at - begin.begin_ns, .cause = Cause::start, .from_begin = true});
  }

  const trace::RankTrace& rank_;
  const uint32_t number_;  // in the trace
  Replayed& made_;
  Graph& graph_;
  HostThreads host_;
  const Launched launched_;
  const StreamWaits waits_;
  std::vector<EventNodes> nodes_;  // by event
};

uint32_t wait(ReplayEdge edge, Graph& graph) {
  edge.cause = Cause::ranks;
  graph.add(edge);
  return static_cast<uint32_t>(graph.edges.size() - 1);
}

// When all have pushed, and the rank has sent its request.
uint32_t asked(uint32_t pull, uint32_t join, Graph& graph) {
  const uint32_t both = graph.add(ReplayNode{});
  wait({.from = join, .to = both}, graph);
  wait({.from = pull, .to = both}, graph);
  return both;
}

/// Joins the ranks of a collective: it goes on when all have arrived. Each rank's kernel ends as long after that as it
/// did. A PULL can be answered from then on, and ends as long as it did after that or its own begin.
/// REQUIRES: the graphs of all ranks are there.
void join_ranks(const trace::Trace& trace, const trace::Matched& matched, size_t number, Replayed& made) {
  const trace::Collective& collective = matched.collectives[number];
  const int64_t arrival = arrival_ns(trace, collective.parts[collective.last]);
  const uint32_t join = made.graph.add(ReplayNode{});
  for (size_t p = 0; p < collective.parts.size(); ++p) {
    const trace::Collective::Part& part = collective.parts[p];
    const EventNodes& nodes = made.events[part.rank][part.event];
    const trace::Event& event = trace[part.rank].events[part.event];
    const bool pulls = part.push != trace::kNone;
    const uint32_t pushed = pulls ? made.events[part.rank][part.push].last : nodes.first;
    const uint32_t arrives = wait({.from = pushed, .to = join}, made.graph);
    const uint32_t from = pulls ? asked(nodes.first, join, made.graph) : join;
    const int64_t lag = event.end_ns() - (pulls ? std::max(arrival, event.start_ns) : arrival);
    const uint32_t edge =
        wait({.from = from, .to = nodes.last, .lag_ns = pulls ? lag : std::max<int64_t>(0, lag)}, made.graph);
    made.transfers.push_back(
        {.collective = number, .part = p, .arrival = nodes.first, .join = from, .arrives = arrives, .edge = edge});
  }
}

}  // namespace

Replayed build_graph(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched) {
  Replayed made;
  std::vector<std::vector<bool>> shared;
  for (const trace::RankTrace& rank : trace) shared.emplace_back(rank.events.size());
  for (const trace::Collective& collective : matched.collectives)
    for (const trace::Collective::Part& part : collective.parts)
      if (collective.parts.size() > 1) shared[part.rank][part.event] = true;
  for (size_t r = 0; r < trace.size(); ++r) RankGraph(trace[r], steps[r], made).build(shared[r]);
  for (size_t c = 0; c < matched.collectives.size(); ++c)
    if (matched.collectives[c].parts.size() > 1) join_ranks(trace, matched, c, made);
  return made;
}

}  // namespace planner::replay
