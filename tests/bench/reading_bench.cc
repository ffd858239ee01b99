// How fast measurements of runs are read:
//
//     | what | rows | s | rows/s |
//
// s: the best of five readings. A benchmark to read, not a test that fails.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "planner/scaling/read/measurements.h"

namespace {

namespace fs = std::filesystem;

constexpr int kReadings = 5;

void run_sql(sqlite3* database, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  fmt::print(stderr, "{}: {}\n", sql, sqlite3_errmsg(database));
  std::exit(1);
}

// A profile of `rows` kernels and as many calls of the runtime: 2000 names, 200 steps in two epochs, and the columns
// that an export of Nsight Systems has beside those that are read.
void write_profile(const fs::path& file, int64_t rows) {
  sqlite3* database = nullptr;
  sqlite3_open(file.c_str(), &database);
  const std::string numbers =
      fmt::format("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {}) ", rows);
  run_sql(database, "PRAGMA journal_mode = OFF; BEGIN; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  run_sql(database,
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
          "INSERT INTO StringIds SELECT i, 'void kernel<' || i || '>(float *, int)' FROM n");
  run_sql(database,
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, "
          "globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ)");
  run_sql(database, numbers +
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10000, i * 10000 + 9000, 0, 1, 7, i, "
                        "302119223558144, i * 7919 % 2000, i * 7919 % 2000, 108, 1, 1, 128, 1, 1 FROM n");
  run_sql(database,
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, "
          "returnValue)");
  run_sql(database, numbers +
                        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10000 - 3000, i * 10000, 1, "
                        "302119224788637, i, i % 30, 0 FROM n");
  run_sql(database, "CREATE TABLE NVTX_EVENTS (start, end, eventType, category, text, textId)");
  run_sql(database, "INSERT INTO NVTX_EVENTS VALUES (0, NULL, 33, 1, 'training_step', NULL)");
  run_sql(database, fmt::format("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 200) INSERT INTO "
                                "NVTX_EVENTS SELECT i * {0}, i * {0} + {0} - 1000, 59, 1, 'step', NULL FROM n",
                                rows * 10000 / 200));
  run_sql(database, "COMMIT");
  sqlite3_close(database);
}

// 25 points of two parameters, five repetitions.
std::string json_of(int kernels) {
  std::string out = R"({"parameters": ["x", "y"], "measurements": {)";
  for (int k = 0; k < kernels; ++k) {
    out += fmt::format(R"({}"kernel {}": {{"time": [)", k ? ", " : "", k);
    for (int i = 0; i < 25; ++i)
      out += fmt::format(R"({}{{"point": [{}, {}], "values": [{}.125, {}.25, {}.375, {}.5, {}.625]}})", i ? ", " : "",
                         1 + i % 5, 1 + i / 5, i, i, i, i, i);
    out += "]}";
  }
  return out + "}}";
}

template <class Read> void time_reading(const std::string& what, int64_t rows, const Read& read) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kReadings; ++i) {
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const auto start = std::chrono::steady_clock::now();
    if (!read(sources, diagnostics)) std::exit(1);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  fmt::print("| {} | {} | {:.3f} | {:.0f} |\n", what, rows, best, static_cast<double>(rows) / best);
}

}  // namespace

int main() {
  using namespace planner::scaling;
  constexpr int64_t kRows = 1'000'000;
  const fs::path file = fs::temp_directory_path() / "trainplan-bench.p4.r1.mpi0.sqlite";
  fs::remove(file);
  write_profile(file, kRows);
  fmt::print("| what | rows | s | rows/s |\n|---|---|---|---|\n");
  time_reading("Nsight Systems profile", 2 * kRows, [&](dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
    return read_measurements({file.string()}, sources, diagnostics).has_value();
  });
  fs::remove(file);
  const std::string json = json_of(1000);
  time_reading("Extra-P JSON, values", 125'000, [&](dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
    return read_measurements_text("a.json", json, sources, diagnostics).has_value();
  });
}
