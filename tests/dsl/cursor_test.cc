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
