#include "planner/replay/executed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "planner/replay/graph.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

using trace::Execution;
using trace::ExecutionNode;
using trace::NodeType;

constexpr size_t kMostTold = 5;

/// What communication takes, each kind and size once.
class Prices {
 public:
  Prices(size_t ranks, const Site& site) : site_(site), device_(device_of(*site.machine)), run_(ranks) {
    for (size_t r = 0; r < ranks; ++r) {
      run_[r].rank = static_cast<int64_t>(r);
      run_[r].world_size = static_cast<int64_t>(ranks);
    }
  }

  std::optional<int64_t> of_send(int64_t from, int64_t to, int64_t bytes) {
    return priced({.kind = trace::CollectiveKind::send_recv,
                   .bytes = bytes,
                   .group_size = 2,
                   .members = fmt::format("[{}, {}]", std::min(from, to), std::max(from, to))});
  }
  std::optional<int64_t> of_collective(int64_t number, int64_t bytes) {
    return priced({.kind = trace::kind_of_collective(trace::collective_name(number)),
                   .bytes = bytes,
                   .group_size = static_cast<int64_t>(run_.size())});
  }

 private:
  std::optional<int64_t> priced(const trace::Collective& what) {
    const auto [at, is_new] = known_.try_emplace({what.kind, what.bytes, what.members});
    if (is_new)
      if (const auto time = predicted_time(operator_of(what, run_, site_), device_))
        at->second = std::llround(time->seconds * 1e9);
    return at->second;
  }

  const Site& site_;
  const operator_models::Device device_;
  trace::Trace run_;  // its ranks, without events
  std::map<std::tuple<trace::CollectiveKind, int64_t, std::string>, std::optional<int64_t>> known_;
};

class ExecutionRunner {
 public:
  ExecutionRunner(const std::vector<Execution>& ranks, const Site& site) : ranks_(ranks), prices_(ranks.size(), site) {}

  Executed run() {
    for (size_t r = 0; r < ranks_.size(); ++r) add_nodes(r);
    join_messages();
    join_collectives();
    if (!made_.wrong.empty()) return std::move(made_);
    const auto runs = replay::run(graph_);
    if (!runs) return made_.wrong.emplace_back("nodes wait for each other in a circle"), std::move(made_);
    for (const std::vector<NodeEnds>& nodes : nodes_) {
      int64_t end = 0;
      for (const NodeEnds& node : nodes) end = std::max(end, (*runs)[node.last].end_ns);
      made_.ends_ns.push_back(end);
    }
    return std::move(made_);
  }

 private:
  struct NodeEnds {
    uint32_t first = 0, last = 0;
  };
  struct At {
    size_t rank = 0, node = 0;
  };

  const ExecutionNode& node(At at) const { return ranks_[at.rank].nodes[at.node]; }
  const NodeEnds& ends(At at) const { return nodes_[at.rank][at.node]; }
  void tell(std::string wrong) {
    if (made_.wrong.size() < kMostTold) made_.wrong.push_back(std::move(wrong));
  }

  void add_nodes(size_t r) {
    std::vector<NodeEnds>& nodes = nodes_.emplace_back();
    for (size_t i = 0; i < ranks_[r].nodes.size(); ++i) {
      const ExecutionNode& each = ranks_[r].nodes[i];
      const bool joins = each.type == NodeType::collective;
      if (each.type == NodeType::compute) ++(each.duration_ns < 0 ? made_.untimed : made_.timed);
      const uint32_t first = graph_.add({.duration_ns = own_time(r, each), .earliest_ns = 0});
      nodes.push_back({first, joins ? graph_.add(ReplayNode{}) : first});
      if (each.type == NodeType::send) messages_[{r, each.peer, each.tag}].sends.push_back({r, i});
      if (each.type == NodeType::receive)
        messages_[{static_cast<size_t>(each.peer), static_cast<int64_t>(r), each.tag}].receives.push_back({r, i});
      if (joins) collectives_[r].push_back({r, i});
    }
    add_dependencies(r);
  }

  void add_dependencies(size_t r) {
    const std::unordered_map<uint64_t, uint32_t> places = trace::places_of(ranks_[r]);
    for (size_t i = 0; i < ranks_[r].nodes.size(); ++i)
      for (const std::vector<uint64_t>* before : {&ranks_[r].nodes[i].control, &ranks_[r].nodes[i].data})
        for (const uint64_t id : *before)
          if (const auto place = places.find(id); place != places.end())
            graph_.add({.from = nodes_[r][place->second].last, .to = nodes_[r][i].first});
  }

  int64_t own_time(size_t r, const ExecutionNode& each) {
    if (each.type == NodeType::collective || each.type == NodeType::receive) return 0;
    if (each.type != NodeType::send) return std::max<int64_t>(each.duration_ns, 0);
    return priced(r, each, prices_.of_send(static_cast<int64_t>(r), each.peer, each.bytes));
  }

  int64_t priced(size_t r, const ExecutionNode& each, std::optional<int64_t> price) {
    if (price) return *price;
    if (each.duration_ns < 0)
      tell(fmt::format("rank {}: '{}' has no price and no duration: the trace says {} bytes", r, ranks_[r].name(each),
                       each.bytes < 0 ? "no" : std::to_string(each.bytes)));
    return std::max<int64_t>(each.duration_ns, 0);
  }

  void join_messages() {
    for (const auto& [key, message] : messages_) {
      const auto& [from, to, tag] = key;
      if (message.sends.size() != message.receives.size())
        tell(fmt::format("rank {} sends {} messages of tag {} to rank {}, which receives {}",
                         static_cast<int64_t>(from), message.sends.size(), tag, to, message.receives.size()));
      const size_t both = std::min(message.sends.size(), message.receives.size());
      for (size_t k = 0; k < both; ++k)
        graph_.add({.from = ends(message.sends[k]).last, .to = ends(message.receives[k]).first, .cause = Cause::ranks});
      made_.messages += both;
    }
  }

  void join_collectives() {
    const std::vector<At>& first = collectives_[0];
    for (size_t r = 1; r < ranks_.size(); ++r)
      if (collectives_[r].size() != first.size())
        return tell(fmt::format("rank 0 has {} collectives, rank {} has {}", first.size(), r, collectives_[r].size()));
    for (size_t k = 0; k < first.size(); ++k) {
      const int64_t time =
          priced(0, node(first[k]), prices_.of_collective(node(first[k]).collective, node(first[k]).bytes));
      const uint32_t join = graph_.add(ReplayNode{});
      for (size_t r = 0; r < ranks_.size(); ++r) {
        graph_.add({.from = ends(collectives_[r][k]).first, .to = join, .cause = Cause::ranks});
        graph_.add({.from = join, .to = ends(collectives_[r][k]).last, .lag_ns = time, .cause = Cause::ranks});
      }
    }
  }

  struct Message {
    std::vector<At> sends, receives;
  };

  const std::vector<Execution>& ranks_;
  Prices prices_;
  Graph graph_;
  std::vector<std::vector<NodeEnds>> nodes_;                          // by rank, by node
  std::map<std::tuple<size_t, int64_t, int64_t>, Message> messages_;  // by sender, receiver and tag
  std::map<size_t, std::vector<At>> collectives_;                     // by rank
  Executed made_;
};

}  // namespace

Executed execute(const std::vector<Execution>& ranks, const Site& site) { return ExecutionRunner(ranks, site).run(); }

}  // namespace planner::replay
