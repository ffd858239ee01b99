// Tables of profiles of Nsight Systems, row by row.
#include "planner/trace/nsight_tables.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/planner/trace/nsight_text.h"

using namespace planner::trace;

namespace {

/// A database that SQL makes, in memory; every mistake is kept.
struct Made {
  explicit Made(const std::string& sql) : bytes(sample::database(sql)) {}
  std::string bytes;
  dsl::Diagnostics diagnostics;
  Database database{{.path = "", .place = {}, .bytes = &bytes}, diagnostics};
};

}  // namespace

TEST_CASE("events have their names by number, by text or by kind") {
  Made made("CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'gemm'), (NULL, 'none')");
  const Strings strings(made.database);
  CHECK(nsight_name(kNsightKernels, 1, strings) == "gemm");
  CHECK(nsight_name(kNsightKernels, 2, strings) == "string 2");
  CHECK(nsight_name(kNsightCopies, 2, strings) == "device to host");
  CHECK(nsight_name(kNsightCopies, 14, strings) == "kind 14");
  CHECK(nsight_name(kNsightCopies, -1, strings) == "kind -1");
  CHECK(nsight_name(kNsightFills, 7, strings).empty());
  CHECK(strings.find(0) == nullptr);
}

TEST_CASE("rows give what a table has, and nothing for columns that it does not") {
  Made made(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, copyKind, bytes, streamId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 5, 2, 64, 7), (6, NULL, 1, NULL, NULL);"
      "CREATE TABLE NVTX_EVENTS (start, end, eventType, text);"
      "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'a'), (3, NULL, 34, 'mark'), (4, 5, 60, NULL)");
  constexpr std::array<const char*, 2> kMore{"deviceId", "streamId"};
  NsightRows copies(made.database, kNsightCopies, kMore, "");
  REQUIRE(copies.next());
  CHECK(copies.start() == 1);
  CHECK(copies.end() == 5);
  CHECK(copies.number() == 2);
  CHECK(copies.has_bytes());
  CHECK(copies.bytes() == 64);
  CHECK_FALSE(copies.has_more(0));
  CHECK(copies.more(1) == 7);
  CHECK_FALSE(copies.has_text());
  REQUIRE(copies.next());
  CHECK_FALSE(copies.has_ended());
  CHECK_FALSE(copies.has_more(1));
  CHECK_FALSE(copies.next());

  NsightRows ranges(made.database, kNsightRanges, {}, kNsightIsRange);
  REQUIRE(ranges.next());
  CHECK(ranges.text() == "a");
  REQUIRE(ranges.next());
  CHECK(ranges.start() == 4);  // a mark is not a range
  CHECK_FALSE(ranges.has_text());
  CHECK(ranges.number() == 0);
  CHECK_FALSE(ranges.next());
  CHECK(made.diagnostics.list.empty());
}

TEST_CASE("a table without what it must have is diagnosed, and gives no rows") {
  Made made("CREATE TABLE CUBLAS_EVENTS (start, nameId)");
  NsightRows rows(made.database, kNsightCublas, {}, "");
  CHECK_FALSE(rows.next());
  CHECK_FALSE(made.database.good());
  REQUIRE(made.diagnostics.list.size() == 1);
  CHECK(made.diagnostics.list[0].message == "table CUBLAS_EVENTS has no column 'end'");
}
