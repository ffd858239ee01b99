// The six sharders of table III against placements by hand.
#include "planner/tables/compare.h"
#include "tests/planner/tables/site.h"

using namespace planner::tables;

namespace {

Placement placed(const char* name, const PlacementProblem& problem, uint64_t seed = 1) {
  for (const Sharder& sharder : sharders())
    if (std::string(sharder.name) == name) return place(sharder, problem, seed);
  FAIL("no sharder ", name);
  return {};
}

std::vector<int32_t> ranks_of(const Placement& placement) {
  std::vector<int32_t> ranks;
  for (const Placed& table : placement) {
    CHECK(table.option == 0);
    REQUIRE(table.ranks.size() == 1);
    ranks.push_back(table.ranks[0]);
  }
  return ranks;
}

}  // namespace

TEST_CASE("the sharders are those of the paper's table III, in its order") {
  std::vector<std::string> names;
  for (const Sharder& sharder : sharders()) {
    names.emplace_back(sharder.name);
    CHECK((sharder.rank == nullptr) != (sharder.cost == nullptr));
  }
  CHECK(names == std::vector<std::string>{"naive", "random", "size-greedy", "lookup-greedy", "norm-lookup-greedy",
                                          "size-lookup-greedy"});
}

TEST_CASE("each sharder places six tables on two ranks as by hand") {
  const sample::TableSite at(2);
  // E; D; L: E 10^3 ... 10^6, and costs L D: 80, 640, 320, 320, 160, 40.
  const PlacementProblem problem =
      make_problem({sample::table(1000, 16, 5), sample::table(10000, 32, 20), sample::table(100000, 64, 5),
                    sample::table(1000000, 16, 20), sample::table(1000, 32, 5), sample::table(10000, 8, 5)},
                   at.site);
  struct Row {
    const char* name;
    std::vector<int32_t> ranks;
  };
  const Row rows[] = {
      {"naive", {0, 1, 0, 1, 0, 1}},
      // 1000000 to 0; 100000, 10000, 10000, 1000 and 1000 to 1, which stays the less loaded.
      {"size-greedy", {1, 1, 1, 0, 1, 1}},
      // 640 to 0; 320 to 1; 320 to 1 (640 = 640); 160 to 0 (a tie: the first); 80 to 1; 40 to 1 (720 < 800).
      {"lookup-greedy", {1, 0, 1, 1, 0, 1}},
      // 5e-3 (0) to 0; 5e-3 (4) to 1; 2e-3 (1) to 0; 5e-4 (5) to 1; 5e-5 (2) to 1; 2e-5 (3) to 1.
      {"norm-lookup-greedy", {0, 0, 1, 1, 1, 1}},
      // 640*4 = 2560 (1) to 0; 320*6 = 1920 (3) to 1; 320*5 = 1600 (2) to 1; 160*3 = 480 (4) to 0; 80*3 = 240 (0)
      // to 0; 40*4 = 160 (5) to 0 (3280 < 3520).
      {"size-lookup-greedy", {0, 0, 1, 1, 0, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    CHECK(ranks_of(placed(row.name, problem)) == row.ranks);
  }
}

TEST_CASE("random is the same for a seed, differs between seeds and uses every rank") {
  const sample::TableSite at(4);
  const PlacementProblem problem = make_problem(std::vector<Table>(64, sample::table(1000, 16, 1)), at.site);
  const std::vector<int32_t> one = ranks_of(placed("random", problem, 1));
  CHECK(one == ranks_of(placed("random", problem, 1)));
  CHECK(one != ranks_of(placed("random", problem, 2)));
  for (int32_t rank = 0; rank < 4; ++rank) CHECK(std::ranges::count(one, rank) > 4);
}

TEST_CASE("a greedy sharder passes over ranks without room; where none has any it overflows the emptiest") {
  sample::TableSite at(2);
  const auto tables = [](int64_t last) {
    return std::vector{sample::table(1000, 16, 10), sample::table(3000, 16, 1), sample::table(last, 16, 0.5)};
  };
  at.site.memory_bytes = 16.0 * 4 * 4000;
  // Costs 160, 16, 8: the third would go to rank 1, which has room for 1000 rows.
  CHECK(ranks_of(placed("lookup-greedy", make_problem(tables(1000), at.site))) == std::vector{0, 1, 1});
  CHECK(ranks_of(placed("lookup-greedy", make_problem(tables(2000), at.site))) == std::vector{0, 1, 0});
  const PlacementProblem full = make_problem(tables(5000), at.site);
  CHECK(ranks_of(placed("lookup-greedy", full)) == std::vector{0, 1, 0});
  CHECK(loads_of(full, placed("lookup-greedy", full)).overflow(at.site.memory_bytes) == 2000.0 * 16 * 4);
}
