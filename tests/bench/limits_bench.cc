// What an input at a stated limit takes (docs/output.md), and one beyond it:
//
//     | limit | input | status | s | MB |
//
// s, MB: of the process, its peak of resident memory. A benchmark to read, not a test that fails.
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/process.h"

namespace {

namespace fs = std::filesystem;
using Args = std::vector<std::string>;

const fs::path kFolder = fs::temp_directory_path() / "trainplan-limits";
const std::string kScenario =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n";

std::string file(const std::string& name, const std::string& text) {
  std::ofstream(kFolder / name, std::ios::binary) << text;
  return (kFolder / name).string();
}

/// A list of `values` values, including itself.
std::string json_list(int64_t values) {
  std::string text = "[1";
  for (int64_t i = 2; i < values; ++i) text += ",1";
  return text + "]";
}

/// Every one of batches times tokens combinations is planned.
std::string space(int batches, int tokens) {
  std::string lists[2];
  for (int i = 0; i < batches; ++i) lists[0] += fmt::format("{}{}", i ? ", " : "", 8 * (i + 1));
  for (int i = 0; i < tokens; ++i) lists[1] += fmt::format("{}{}", i ? ", " : "", 1'000'000'000 + i);
  return fmt::format(
      "model: {{use: gpt3-1.3b}}\njob: {{sequence: 2048, global_batch: [{}], tokens: [{}]}}\ncluster: {{use: "
      "dgx-a100-80gb, gpus: 8}}\n",
      lists[0], lists[1]);
}

/// A profile of `calls` calls.
std::string profile(const std::string& name, int64_t calls) {
  const std::string path = (kFolder / name).string();
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  const std::string sql = fmt::format(
      "PRAGMA journal_mode = OFF; BEGIN; CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, nameId); WITH RECURSIVE "
      "n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {}) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i, i + "
      "1, "
      "1 FROM n; COMMIT",
      calls);
  sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(database);
  return path;
}

Args split_backward(const std::string& scenario, int stages) {
  return {"plan",  scenario,
          "--set", fmt::format("cluster.gpus={}", stages),
          "--set", "model.layers=4096",
          "--set", fmt::format("parallelism={{pp: {}, schedule: zb-v, interleave: 2}}", stages),
          "--set", "job.global_batch=4096"};
}

void measure(const std::string& limit, const std::string& input, const Args& args) {
  const bench::Process process = bench::run(TRAINPLAN_BINARY, args);
  fmt::print("| {} | {} | {} | {:.1f} | {} |\n", limit, input, process.status, process.wall_seconds, process.megabytes);
}

}  // namespace

int main() {
  fs::remove_all(kFolder);
  fs::create_directories(kFolder);
  fmt::print("| limit | input | status | s | MB |\n| --- | --- | ---: | ---: | ---: |\n");
  const std::string plain = file("plain.yaml", kScenario),
                    most = kScenario + std::string((1 << 20) - kScenario.size(), '#');
  measure("1 MiB of YAML", "at", {"plan", file("a.yaml", most)});
  measure("1 MiB of YAML", "beyond", {"plan", file("b.yaml", most + "#")});
  measure("4 million values of JSON", "at", {"scale", file("a.json", json_list(4'000'000))});
  measure("4 million values of JSON", "beyond", {"scale", file("b.json", json_list(4'000'001))});
  measure("256 MiB of measurements", "/dev/zero", {"scale", "/dev/zero"});
  measure("1e9 instructions of SQLite", "10 million calls", {"scale", profile("app.p4.r1.mpi0.sqlite", 10'000'000)});
  measure("1024 threads", "at", {"search", plain, "--threads", "1024"});
  measure("1024 threads", "beyond", {"search", plain, "--threads", "1025"});
  measure("100,000 rows of a sweep", "at, table", {"sweep", file("c.yaml", space(10, 10'000))});
  measure("100,000 rows of a sweep", "at, json", {"sweep", (kFolder / "c.yaml").string(), "--format", "json"});
  measure("100,000 rows of a sweep", "beyond", {"sweep", file("d.yaml", space(11, 9091))});
  measure("a million events", "at", {"plan", plain, "--timeline", "/dev/null", "--set", "job.global_batch=4000000"});
  measure("a million events", "beyond",
          {"plan", plain, "--timeline", "/dev/null", "--set", "job.global_batch=4000008"});
  measure("1024 stages of zb-v", "at", split_backward(plain, 1024));
  measure("1024 stages of zb-v", "beyond", split_backward(plain, 1025));
  fs::remove_all(kFolder);
}
