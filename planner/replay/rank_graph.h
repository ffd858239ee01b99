// One rank while its graph is built (build.h): its threads and its streams, each in its order, and what they wait for.
#pragma once

#include <span>
#include <vector>

#include "planner/replay/host.h"
#include "planner/replay/replayed.h"
#include "planner/replay/waits.h"

namespace planner::replay {

class RankGraph {
 public:
  /// All of these outlive it; `made` gets the graph.
  RankGraph(const trace::RankTrace& rank, const std::vector<trace::Step>& steps, Replayed& made);

  /// Adds the rank. `shared`: for each event whether it is one of several ranks, whose end is known when all are there;
  /// it has two nodes, its arrival and its end.
  void build(const std::vector<bool>& shared);

 private:
  /// What a device's event waited for last, other than its launch.
  struct ReadyEdge {
    int64_t at_ns = kNever;
    size_t edge = 0;
  };

  void make_room();
  void add_host_nodes();
  void add_device_nodes(const std::vector<bool>& shared);
  void chain_host();
  void hand_over();
  void note_time(size_t thread, const HostItem& from, const HostItem& to);
  void chain_device();
  int64_t typical_launch() const;
  void launch(size_t event, const ReadyEdge& ready, int64_t typical);
  void synchronise_host();
  void wait(const HostItem& call, std::span<const size_t> events);
  void finish();
  uint32_t begin_of_all();
  /// Whether a call returns when the device has done something.
  bool waits_for_device(const HostItem& item) const;
  /// What nothing else says the time of comes as long after the rank's begin as it did.
  void begin_with_rank(uint32_t node, int64_t at);

  const trace::RankTrace& rank_;
  const uint32_t number_;  // in the trace
  Replayed& made_;
  Graph& graph_;
  HostThreads host_;
  const Launched launched_;
  const StreamWaits waits_;
  std::vector<EventNodes> nodes_;  // by event
};

}  // namespace planner::replay
