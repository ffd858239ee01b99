// Execution traces that are run on a machine of round figures.
#include "planner/replay/executed.h"

#include <doctest/doctest.h>

#include "operator_models/models.h"
#include "planner/replay/priced_collectives.h"
#include "tests/planner/replay/machines.h"

using namespace planner::replay;
using planner::trace::Execution;
using planner::trace::ExecutionNode;
using planner::trace::NodeType;

namespace {

/// Adds a node that comes behind others; returns its number.
uint64_t add(Execution& rank, NodeType type, std::vector<uint64_t> behind, int64_t duration_ns = -1) {
  ExecutionNode node;
  node.id = rank.nodes.size();
  node.name = rank.names.number(planner::trace::name_of(type));
  node.type = type;
  node.control = std::move(behind);
  node.duration_ns = duration_ns;
  rank.nodes.push_back(node);
  return node.id;
}
uint64_t message(Execution& rank, NodeType type, int64_t peer, int64_t tag, int64_t bytes,
                 std::vector<uint64_t> behind = {}) {
  const uint64_t id = add(rank, type, std::move(behind));
  rank.nodes[id].peer = peer;
  rank.nodes[id].tag = tag;
  rank.nodes[id].bytes = bytes;
  return id;
}

/// A ring all-reduce of n ranks in 2 (n - 1) steps of one chunk; what comes in is added up in the first n - 1.
std::vector<Execution> ring(int64_t n, int64_t chunk, int64_t add_ns) {
  std::vector<Execution> ranks(static_cast<size_t>(n));
  for (int64_t r = 0; r < n; ++r) {
    Execution& rank = ranks[static_cast<size_t>(r)];
    std::vector<uint64_t> before;
    for (int64_t k = 0; k < 2 * (n - 1); ++k) {
      const uint64_t sent = message(rank, NodeType::send, (r + 1) % n, k, chunk, before);
      const uint64_t got = message(rank, NodeType::receive, (r + n - 1) % n, k, chunk, before);
      before = {sent, k < n - 1 ? add(rank, NodeType::compute, {got}, add_ns) : got};
    }
  }
  return ranks;
}

int64_t send_ns(const operator_models::Machine& machine, int64_t bytes) {
  planner::trace::Trace run(2);
  const planner::trace::Collective what{
      .kind = planner::trace::CollectiveKind::send_recv, .bytes = bytes, .group_size = 2, .members = "[0, 1]"};
  const Site site{.machine = &machine};
  return std::llround(predicted_time(operator_of(what, run, site), device_of(machine))->seconds * 1e9);
}

std::string first_wrong(const std::vector<Execution>& ranks) {
  const operator_models::Machine machine = sample::machine();
  const Executed executed = execute(ranks, {.machine = &machine});
  CHECK(executed.ends_ns.empty() != executed.wrong.empty());
  return executed.wrong.empty() ? "" : executed.wrong.front();
}

}  // namespace

TEST_CASE("a ring all-reduce in its steps takes 2 (n - 1) messages and n - 1 additions") {
  const operator_models::Machine machine = sample::machine();
  for (const int64_t n : {2, 3, 4}) {  // of one node
    const Executed executed = execute(ring(n, 131072, 7000), {.machine = &machine});
    REQUIRE(executed.wrong.empty());
    CHECK(executed.messages == static_cast<size_t>(n * 2 * (n - 1)));
    CHECK(executed.untimed == 0);
    for (const int64_t end : executed.ends_ns) CHECK(end == 2 * (n - 1) * send_ns(machine, 131072) + (n - 1) * 7000);
  }
}

TEST_CASE("messages between nodes take longer than those inside one") {
  const operator_models::Machine machine = sample::machine();  // nodes of four
  const Executed inside = execute(ring(4, 1 << 20, 0), {.machine = &machine});
  const Executed across = execute(ring(5, 1 << 20, 0), {.machine = &machine});
  REQUIRE(across.ends_ns.size() == 5);
  CHECK(across.ends_ns[0] > 2 * inside.ends_ns[0]);
}

TEST_CASE("a collective is done a predicted time after the last rank has arrived") {
  const operator_models::Machine machine = sample::machine();
  std::vector<Execution> ranks(2);
  for (size_t r = 0; r < 2; ++r) {
    const uint64_t work = add(ranks[r], NodeType::compute, {}, r == 0 ? 1000 : 90'000);
    const uint64_t all = add(ranks[r], NodeType::collective, {work});
    ranks[r].nodes[all].collective = 0;
    ranks[r].nodes[all].bytes = 1 << 20;
    add(ranks[r], NodeType::compute, {all}, 500);
  }
  const Executed executed = execute(ranks, {.machine = &machine});
  REQUIRE(executed.wrong.empty());
  CHECK(executed.ends_ns[0] == executed.ends_ns[1]);
  CHECK(executed.ends_ns[0] > 90'000 + 500 + 10'000);  // a mebibyte at 100 GB/s
  ranks[1].nodes[0].duration_ns = 0;
  CHECK(execute(ranks, {.machine = &machine}).ends_ns[0] == executed.ends_ns[0] - 89'000);
}

TEST_CASE("nodes without a duration are counted, and one of communication keeps its own where it has no price") {
  const operator_models::Machine machine = sample::machine();
  std::vector<Execution> ranks(1);
  const uint64_t work = add(ranks[0], NodeType::compute, {});
  add(ranks[0], NodeType::collective, {work}, 3000);
  const Executed executed = execute(ranks, {.machine = &machine});
  CHECK(executed.untimed == 1);
  CHECK(executed.ends_ns == std::vector<int64_t>{3000});
}

TEST_CASE("what does not fit together is told") {
  std::vector<Execution> lonely = ring(3, 1024, 0);
  lonely.pop_back();
  CHECK(first_wrong(lonely) == "rank 1 sends 1 messages of tag 0 to rank 2, which receives 0");
  std::vector<Execution> tags(2);
  message(tags[0], NodeType::send, 1, 7, 1024);
  message(tags[1], NodeType::receive, 0, 8, 1024);
  CHECK(first_wrong(tags) == "rank 0 sends 1 messages of tag 7 to rank 1, which receives 0");
  std::vector<Execution> counts(2);
  add(counts[0], NodeType::collective, {}, 5);
  CHECK(first_wrong(counts) == "rank 0 has 1 collectives, rank 1 has 0");
  std::vector<Execution> unsaid(2);
  for (Execution& rank : unsaid) add(rank, NodeType::collective, {});
  CHECK(first_wrong(unsaid) == "rank 0: 'collective' has no price and no duration: the trace says no bytes");
  std::vector<Execution> circle(1);
  add(circle[0], NodeType::compute, {1}, 5);
  add(circle[0], NodeType::compute, {0}, 5);
  CHECK(first_wrong(circle) == "nodes wait for each other in a circle");
}
