// What reading a file of SQLite may cost.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include "planner/trace/nsight_tables.h"
#include "tests/dsl/folder.h"

namespace {

using planner::trace::Database;
using planner::trace::Rows;
using planner::trace::Strings;

constexpr const char* kTable = "CREATE TABLE a (x)";

/// A database that was made by `sql`; "" or the first mistake of reading it.
struct Sample {
  TestFolder folder;
  std::string path = (folder.path / "a.sqlite").string();

  explicit Sample(const std::string& sql = kTable) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    const std::string quick = "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; " + sql;
    CHECK(sqlite3_exec(handle, quick.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
  }

  template <class Read> std::string mistake(Read read, int64_t instructions = planner::trace::kMostInstructions) {
    dsl::Diagnostics diagnostics;
    Database database({.path = path, .place = {}}, diagnostics, instructions);
    if (database.good()) read(database);
    return diagnostics.list.empty() ? "" : diagnostics.list[0].message;
  }
};

/// `count` texts of 8 MiB by id, and one of `more` bytes.
std::string strings(int count, int more) {
  return "CREATE TABLE StringIds (id, value); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " +
         std::to_string(count) + ") INSERT INTO StringIds SELECT i, printf('%.*c', 8388608, 'x') FROM n; " +
         "INSERT INTO StringIds VALUES (0, printf('%.*c', " + std::to_string(more) + ", 'y'))";
}

}  // namespace

TEST_CASE("tables and columns are found") {
  CHECK(Sample().mistake([](Database& database) {
    CHECK(database.has("a", "x"));
    CHECK(!database.has("a", "y"));
    CHECK(!database.has("b"));
  }) == "");
}

TEST_CASE("a query ends at its bound of instructions") {
  const auto counted = [](int64_t rows) {
    const auto count = [&](Database& database) {
      Rows each(database, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT " +
                              std::to_string(rows) + ") SELECT i FROM n");
      while (each.next()) continue;
    };
    return Sample().mistake(count, 10'000'000);
  };
  CHECK(counted(100'000) == "");
  CHECK(counted(10'000'000) == "reading the database takes more than 1e+07 instructions of SQLite");
}

TEST_CASE("a database has at most 4 GiB") {
  Sample sample;
  const auto resized = [&](int64_t bytes) {
    std::filesystem::resize_file(sample.path, static_cast<uintmax_t>(bytes));  // with a hole
    return sample.mistake([](Database& database) { CHECK(database.has("a")); });
  };
  CHECK(resized(planner::trace::kMostDatabaseBytes) == "");
  CHECK(resized(planner::trace::kMostDatabaseBytes + 1) == "the database is larger than 4 GiB");
}

TEST_CASE("the names of a profile are at most 128 MiB, each of less than 16") {
  const auto read = [](Database& database) { Strings all(database); };
  CHECK(Sample(strings(15, 8 << 20)).mistake(read) == "");
  CHECK(Sample(strings(15, (8 << 20) + 1)).mistake(read) == "the names in the profile are longer than 128 MiB in all");
  CHECK(Sample(strings(1, (16 << 20) + 1)).mistake(read) == "cannot read the SQLite database: string or blob too big");
}
