// A cursor that goes back, and one that is sought.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/dsl/opened.h"
#include "tests/dsl/sample.h"

using sample::complete;
using sample::Opened;

TEST_CASE("a candidate of several values is gone over again, and a walk goes on from where it was sought") {
  const Opened opened(complete("parallelism: {pp: [1, 2, 4], tp: [2, 4]}"), {}, "parallelism.pp");
  const auto here = [](const dsl::Cursor& cursor) {
    std::string out;
    for (size_t i = 0; i < 3; ++i) out += dsl::to_text(cursor.value(i)) + " ";
    return out;
  };
  const auto rest = [&](dsl::Cursor& cursor) {
    std::string out = here(cursor);
    for (; !cursor.ends_candidate(); out += here(cursor)) cursor.next();
    return out;
  };
  dsl::Cursor cursor(*opened.space), other(*opened.space);
  for (const uint32_t tp : {0, 1}) {
    REQUIRE(cursor.next());
    const std::string once = rest(cursor);
    CHECK(once == (tp == 0 ? "2 1 32 2 2 16 2 4 8 " : "4 1 16 4 2 8 4 4 4 "));
    cursor.restart_candidate();
    CHECK(cursor.changed() == 1);
    CHECK(rest(cursor) == once);
    other.seek(std::array<uint32_t, 3>{tp, 0, 0});
    CHECK(rest(other) == once);
  }
  CHECK(!cursor.next());
  CHECK(!other.next());
}

TEST_CASE("what is computed from one choice alone is decided by it") {
  const Opened opened(complete("let: {half: tp / 2}\nparallelism: {tp: [2, 4], pp: half}"));
  const std::vector<dsl::OpenItem>& items = opened.space->items();
  const auto decided_by = [&](const std::string& path) {
    const auto at = std::ranges::find(items, path, &dsl::OpenItem::path);
    REQUIRE(at != items.end());
    return items[opened.space->decided_by(static_cast<size_t>(at - items.begin()))].path;
  };
  CHECK(decided_by("parallelism.tp") == "parallelism.tp");
  CHECK(decided_by("half") == "parallelism.tp");
  CHECK(decided_by("parallelism.pp") == "parallelism.tp");
  CHECK(decided_by("parallelism.dp") == "parallelism.dp");
}

namespace {

/// By condition, how often a walk one by one meets it as the first that does not hold, with the values that the cursor
/// has up to a level.
std::vector<int64_t> met_behind(const dsl::Space& space, const dsl::Cursor& at, size_t level) {
  std::vector<int64_t> met(space.conditions().size());
  dsl::Cursor each(space);
  while (each.next()) {
    bool inside = true;
    for (size_t i = 0; i <= level; ++i) inside = inside && each.at(i) == at.at(i);
    if (inside && each.refusal() == dsl::Refusal::where) ++met[each.refused_at()];
  }
  return met;
}

}  // namespace

TEST_CASE("what conditions refuse behind a level is counted as a walk meets it") {
  struct Row {
    const char* conditions;
    size_t settled;   // the first level behind which they are counted
    int64_t refused;  // in all
  };
  const Row rows[]{{"[tp * pp <= 4]", 1, 3},
                   {"[tp < 4 or pp < 2, tp + pp > 2]", 1, 3},
                   {"[tp < 4 or pp < 2, tp * pp != 4]", 1, 5},
                   {"[dp >= 8]", 2, 1},  // it reads what is computed
                   {"[tp > 1]", 1, 3}};
  for (const Row& row : rows) {
    CAPTURE(row.conditions);
    const Opened opened(complete("parallelism: {tp: [1, 2, 4], pp: [1, 2, 4]}\nwhere: " + std::string(row.conditions)));
    REQUIRE(opened.space);
    dsl::Cursor cursor(*opened.space);
    CHECK(cursor.settled_from() == row.settled);
    int64_t refused = 0;
    while (cursor.next()) {
      refused += cursor.refusal() == dsl::Refusal::where;
      for (size_t level = cursor.settled_from(); level < cursor.order().size(); ++level) {
        if (cursor.refusal() == dsl::Refusal::where && cursor.refused_from() <= level) continue;
        std::vector<int64_t> counted(opened.space->conditions().size());
        for (const dsl::Cursor::Unmet& unmet : cursor.unmet_behind(level))
          counted[unmet.condition] += unmet.combinations;
        CHECK(counted == met_behind(*opened.space, cursor, level));
      }
    }
    CHECK(refused == row.refused);
  }
}
