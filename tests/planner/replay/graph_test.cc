// The engine against a hand-drawn graph and a second implementation on random ones.
#include "planner/replay/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace planner::replay;

namespace {

/// Two streams that share events: a-b on one, c-d on the other; d waits for a, b for c.
Graph two_streams() {
  Graph graph;
  for (const int64_t duration : {10, 5, 20, 1}) graph.add({.duration_ns = duration});
  graph.nodes[0].earliest_ns = graph.nodes[2].earliest_ns = 100;
  graph.add({.from = 0, .to = 1});
  graph.add({.from = 2, .to = 3, .lag_ns = 2});
  graph.add({.from = 0, .to = 3, .lag_ns = 50, .cause = Cause::event});
  graph.add({.from = 2, .to = 1, .lag_ns = 7, .cause = Cause::launch, .from_begin = true});
  return graph;
}

/// The same times by going over all edges until nothing changes.
std::vector<int64_t> begins_by_rounds(const Graph& graph) {
  std::vector<int64_t> begins;
  for (const ReplayNode& node : graph.nodes)
    begins.push_back(node.earliest_ns == kNever ? INT64_MIN / 2 : node.earliest_ns);
  for (size_t round = 0; round < graph.nodes.size(); ++round)
    for (const ReplayEdge& edge : graph.edges) {
      const int64_t from = begins[edge.from] + (edge.from_begin ? 0 : graph.nodes[edge.from].duration_ns);
      begins[edge.to] = std::max(begins[edge.to], from + edge.lag_ns);
    }
  return begins;
}

}  // namespace

TEST_CASE("a node begins when all that it waits for is there") {
  const auto runs = run(two_streams());
  REQUIRE(runs.has_value());
  CHECK((*runs)[1].begin_ns == 110);
  CHECK((*runs)[1].waits == 0);
  CHECK((*runs)[3].begin_ns == 160);
  CHECK((*runs)[3].end_ns == 161);
  CHECK(critical_path(two_streams(), *runs, 3) == std::vector<uint32_t>{2});
}

TEST_CASE("an edge that does not delay orders alone: what nothing else holds begins with the trace") {
  Graph graph = two_streams();
  for (ReplayEdge& edge : graph.edges) edge.delays = false;
  const auto runs = run(graph);
  REQUIRE(runs.has_value());
  for (const Run& each : *runs) CHECK(each.begin_ns == 100);
  CHECK((*runs)[3].waits == Run::kNone);
  CHECK(slacks(graph, *runs, 3)[0] == kFree);
  graph.add({.from = 3, .to = 0});
  CHECK_FALSE(run(graph).has_value());
}

TEST_CASE("of equal times the edge that was added first counts") {
  Graph graph;
  for (int i = 0; i < 3; ++i) graph.add({.duration_ns = 5, .earliest_ns = i < 2 ? 0 : kNever});
  graph.add({.from = 1, .to = 2});
  graph.add({.from = 0, .to = 2});
  CHECK((*run(graph))[2].waits == 0);
  std::swap(graph.edges[0].from, graph.edges[1].from);
  CHECK((*run(graph))[2].waits == 0);
}

TEST_CASE("nodes that wait for each other have no times") {
  Graph graph = two_streams();
  graph.add({.from = 3, .to = 0});
  CHECK_FALSE(run(graph).has_value());
}

TEST_CASE("random graphs have the times of a second implementation, and paths that add up") {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Graph graph;
    for (int i = 0; i < 40; ++i)
      graph.add(
          {.duration_ns = static_cast<int64_t>(random() % 50), .earliest_ns = static_cast<int64_t>(random() % 9)});
    for (int i = 0; i < 120; ++i) {
      const auto a = static_cast<uint32_t>(random() % 40), b = static_cast<uint32_t>(random() % 40);
      if (a == b) continue;
      graph.add({.from = std::min(a, b),
                 .to = std::max(a, b),
                 .lag_ns = static_cast<int64_t>(random() % 30) - 5,
                 .from_begin = random() % 2 == 0});
    }
    const std::vector<int64_t> begins = begins_by_rounds(graph);
    const auto runs = run(graph);
    REQUIRE(runs.has_value());
    for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
      CHECK((*runs)[n].begin_ns == begins[n]);
      const std::vector<uint32_t> path = critical_path(graph, *runs, n);
      int64_t at = path.empty() ? (*runs)[n].begin_ns : (*runs)[graph.edges[path.front()].from].begin_ns;
      for (const uint32_t e : path)
        at += graph.edges[e].lag_ns + (graph.edges[e].from_begin ? 0 : graph.nodes[graph.edges[e].from].duration_ns);
      CHECK(at == (*runs)[n].begin_ns);
    }
  }
}

TEST_CASE("slack: how much later a node may begin") {
  const Graph graph = two_streams();
  const auto runs = *run(graph);  // d begins at 160, for a's event; b at 110 for a
  CHECK(slacks(graph, runs, 3) == std::vector<int64_t>{0, kFree, 160 - 120 - 2, 0});
  CHECK(slacks(graph, runs, 1) == std::vector<int64_t>{0, 0, 110 - 100 - 7, kFree});
}

TEST_CASE("slack on random graphs: a node that is late by it delays nothing, and by more the end") {
  std::mt19937 random(5);
  const auto below = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  for (int round = 0; round < 50; ++round) {
    Graph graph;
    const uint32_t size = 2 + below(12);
    for (uint32_t n = 0; n < size; ++n) graph.add({.duration_ns = below(9), .earliest_ns = 0});
    for (uint32_t e = 0; e < 2 * size; ++e) {
      const uint32_t from = below(size - 1);
      graph.add(
          {.from = from, .to = from + 1 + below(size - from - 1), .lag_ns = below(4), .from_begin = below(2) == 0});
    }
    const auto runs = *run(graph);
    const std::vector<int64_t> slack = slacks(graph, runs, size - 1);
    for (uint32_t n = 0; n < size; ++n) {
      const auto end_with = [&](int64_t later) {
        Graph late = graph;
        late.nodes[n].earliest_ns = runs[n].begin_ns + later;
        return (*run(late))[size - 1].begin_ns;
      };
      CHECK(end_with(std::min<int64_t>(slack[n], 1000)) == runs[size - 1].begin_ns);
      if (slack[n] != kFree) CHECK(end_with(slack[n] + 1) == runs[size - 1].begin_ns + 1);
    }
  }
}
