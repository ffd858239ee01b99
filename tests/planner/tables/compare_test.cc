// All sharders compared, and messages about tables that do not fit.
#include "planner/tables/compare.h"

#include "tests/planner/tables/site.h"

using namespace planner::tables;

TEST_CASE("the best is the least step of those that fit, and no worse than any sharder") {
  const sample::TableSite at(4, 4096);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Comparison c = compare(sample::drawn_tables(20, 0.12, seed), at.site, {});
    REQUIRE(c.outcomes.size() == sharders().size() + 2);
    CHECK(c.fits());
    for (const Outcome& o : c.outcomes) CHECK(c.outcomes[c.best].step.sum() <= o.step.sum());
    CHECK(c.outcomes[7].step.sum() <= c.outcomes[6].step.sum() * (1 + 1e-9));
    CHECK(c.outcomes[6].name == kLocalSearch);
  }
}

TEST_CASE("without cuts every table stays whole") {
  const sample::TableSite at(4, 4096);
  const Comparison c = compare(sample::drawn_tables(20, 0.12, 3), at.site, {.effort = {}, .cuts = false});
  CHECK(c.outcomes.size() == sharders().size() + 1);
  for (const Outcome& o : c.outcomes)
    for (const Placed& table : o.placement) CHECK(table.ranks.size() == 1);
}

TEST_CASE("a sharder that does not fit is never the best, however short its step") {
  sample::TableSite at(2, 4096);
  at.site.memory_bytes = 4.0 * 64 * 150'000;
  // By lookups the two hot tables part, and the two large ones share a rank by their index.
  const Comparison c = compare({sample::table(100'000, 64, 1), sample::table(1000, 64, 9),
                                sample::table(100'000, 64, 1), sample::table(1000, 64, 9)},
                               at.site, {});
  CHECK_FALSE(c.outcomes[0].fits);
  CHECK(c.outcomes[c.best].fits);
}

TEST_CASE("room: an error where all ranks lack it, a warning where one does, silence else") {
  sample::TableSite at(4, 4096);
  const std::vector<Table> list{sample::table(1000, 64, 1), sample::table(3000, 64, 1)};
  struct Row {
    double rows;  // of a rank
    size_t said;
    bool error;
  };
  for (const Row& row : {Row{999, 1, true}, Row{1000, 1, false}, Row{2999, 1, false}, Row{3000, 0, false}}) {
    CAPTURE(row.rows);
    at.site.memory_bytes = row.rows * 64 * 4;
    dsl::Diagnostics diagnostics;
    check_room(list, at.site, diagnostics);
    CHECK(diagnostics.list.size() == row.said);
    CHECK(diagnostics.has_errors() == row.error);
  }
}
