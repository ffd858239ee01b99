// The step of a placement.
#include "planner/tables/step.h"

#include "tests/planner/tables/site.h"

using namespace planner::tables;

namespace {

Placement whole_on(const std::vector<int32_t>& ranks) {
  Placement placement;
  for (int32_t rank : ranks) placement.push_back({0, {rank}});
  return placement;
}

TableStepParts step(const PlacementProblem& problem, const Placement& placement) {
  Exchange exchange(problem.site);
  return step_of(problem, loads_of(problem, placement), exchange);
}

}  // namespace

TEST_CASE("the message is the most that a rank sends or receives") {
  const sample::TableSite at(4, 1000);
  const PlacementProblem problem = make_problem({sample::table(100, 16, 1), sample::table(100, 48, 1)}, at.site);
  const Loads apart = loads_of(problem, whole_on({0, 1})), together = loads_of(problem, whole_on({2, 2}));
  CHECK(apart.ranks[0].sent_bytes == 1000.0 * 16 * 4);
  CHECK(apart.message() == 1000.0 * 48 * 4);     // what rank 1 sends
  CHECK(together.message() == 1000.0 * 64 * 4);  // all of it
  const PlacementProblem even = make_problem(std::vector<Table>(4, sample::table(100, 16, 1)), at.site);
  CHECK(loads_of(even, whole_on({0, 1, 2, 3})).message() == 1000.0 * 16 * 4);  // sent as received
}

TEST_CASE("what all ranks send, all receive: every rank a like share") {
  const sample::TableSite at(4, 1024);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const PlacementProblem problem = make_problem(sample::drawn_tables(9, 0.2, seed), at.site);
    Placement placement;
    double width = 0, memory = 0;
    for (size_t t = 0; t < 9; ++t) {
      placement.push_back({0, {static_cast<int32_t>((seed * t) % 4)}});
      width += static_cast<double>(problem.tables[t].dim);
      memory += table_bytes(problem.tables[t], at.site);
    }
    const Loads loads = loads_of(problem, placement);
    CHECK(loads.sent() == doctest::Approx(1024 * 4 * width));
    CHECK(loads.message() >= loads.sent() / 4);
    double held = 0;
    for (const Load& load : loads.ranks) held += load.memory_bytes;
    CHECK(held == doctest::Approx(memory));
  }
}

TEST_CASE("a step is the slowest lookups, two all-to-alls, the gradients of copies and the rest") {
  sample::TableSite at(2, 4096);
  at.site.dense_seconds = 1e-3;
  at.site.skew_seconds = 7e-6;
  const PlacementProblem problem = make_problem({sample::table(1000000, 64, 30), sample::table(1000, 64, 5)}, at.site);
  const Placement apart = whole_on({0, 1});
  const TableStepParts parts = step(problem, apart);
  const Load& slow = problem.options[0][0].part;
  CHECK(parts.forward == slow.forward_seconds + problem.launch_seconds);
  CHECK(parts.backward == slow.backward_seconds + problem.launch_seconds);
  CHECK(parts.exchange == collective_seconds(at.site, operator_models::CollectiveKind::all_to_all, 4096.0 * 64 * 4));
  CHECK(parts.exchange_gradient == parts.exchange);
  CHECK(parts.reduce == 0);
  CHECK(parts.sum() == doctest::Approx(1e-3 + parts.forward + parts.backward + 2 * parts.exchange));
  Placement copied = apart;
  copied[1] = {problem.options[1].size() - 1, {0, 1}};
  REQUIRE(problem.options[1].back().split == Split::replicas);
  const TableStepParts with_copy = step(problem, copied);
  CHECK(with_copy.reduce == collective_seconds(at.site, operator_models::CollectiveKind::all_reduce, 1000.0 * 64 * 4));
  CHECK(with_copy.exchange == parts.exchange);  // rank 0 sends what it sent
}

TEST_CASE("ranks may be numbered anew: the step stays") {
  const sample::TableSite at(4, 2048);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const PlacementProblem problem = make_problem(sample::drawn_tables(8, 0.2, seed), at.site);
    const std::vector<int32_t> ranks{0, 1, 2, 3, 0, 1, 0, 2}, renumbered{3, 2, 0, 1, 3, 2, 3, 0};
    CHECK(step(problem, whole_on(ranks)).sum() ==
          doctest::Approx(step(problem, whole_on(renumbered)).sum()).epsilon(1e-12));
  }
}

TEST_CASE("a faster memory or network never slows a step") {
  sample::TableSite slow(8, 4096), memory(8, 4096), network(8, 4096);
  memory.machine.gpu.memory_bandwidth = memory.machine.gpu.memory_bandwidth * 1.5;
  for (hw_profiles::Tier& tier : network.machine.network) tier.bandwidth = tier.bandwidth * 1.5;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Table> tables = sample::drawn_tables(16, 0.2, seed);
    Placement placement;
    for (size_t t = 0; t < tables.size(); ++t) placement.push_back({0, {static_cast<int32_t>(t % 8)}});
    const double before = step(make_problem(tables, slow.site), placement).sum();
    CHECK(step(make_problem(tables, memory.site), placement).sum() <= before);
    CHECK(step(make_problem(tables, network.site), placement).sum() <= before);
  }
}

TEST_CASE("one rank exchanges nothing, and memory beyond a rank's is counted") {
  const sample::TableSite one(1);
  const PlacementProblem problem = make_problem({sample::table(1000, 16, 2)}, one.site);
  CHECK(step(problem, whole_on({0})).exchange == 0);
  CHECK(loads_of(problem, whole_on({0})).overflow(60000) == 4000);
  CHECK(loads_of(problem, whole_on({0})).overflow(64000) == 0);
}
