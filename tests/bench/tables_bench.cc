// How long `trainplan shard` takes, as a whole command:
//
//     | tables | ranks | s | best sharder | local search | split search |
//
// drawn tables as those of Lin et al. (2024), section III-A; s: processor time, the best of three runs; then predicted
// steps. The aim: 1,000 tables on 128 ranks in less than a second. A benchmark to read, not a test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/process.h"

namespace {

constexpr int kRuns = 3;

/// 12 % of the tables with 20 lookups a sample and more, the others below 20, three quarters of those below 10.
void draw_tables(const std::string& path, int count) {
  std::mt19937_64 random(1);
  const auto uniform = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  std::ofstream file(path);
  file << "rows,dim,pooling\n";
  for (int i = 0; i < count; ++i) {
    const double kind = uniform(), x = uniform();
    const double pooling = kind < 0.12 ? 20 + 180 * x * x : kind < 0.78 ? 10 * x : 10 + 10 * x;
    file << fmt::format("{:.0f},{},{:.2f}\n", std::pow(10.0, 3 + 4 * uniform()), 16U << (random() % 4), pooling);
  }
}

/// Steps of `name,step_seconds` lines: the best sharder's, then those of the searches.
std::vector<double> steps_of(const std::string& csv) {
  std::vector<double> steps;
  double best = 1e300;
  for (size_t at = csv.find('\n'); at != std::string::npos && at + 1 < csv.size(); at = csv.find('\n', at + 1)) {
    const size_t comma = csv.find(',', at);
    double seconds = 0;
    std::from_chars(csv.data() + comma + 1, csv.data() + csv.size(), seconds);
    if (csv.compare(at + 1, 4, "loca") == 0) steps.push_back(best);
    if (steps.empty()) best = std::min(best, seconds);
    else steps.push_back(seconds);
  }
  return steps;
}

void time_tables(const std::string& folder, int tables, int ranks) {
  const std::string path = folder + "/tables.csv";
  draw_tables(path, tables);
  double best = 1e300;
  std::vector<double> steps;
  for (int i = 0; i < kRuns; ++i) {
    const bench::Process process = bench::run(
        TRAINPLAN_BINARY, {"shard", path, "--on", "dgx-a100-80gb", "--ranks", std::to_string(ranks), "--batch",
                           std::to_string(512 * ranks), "--format", "csv", "--columns", "name,step_seconds"});
    if (process.status != 0) fmt::print(stderr, "shard ended with {}\n", process.status);
    best = std::min(best, process.processor_seconds);
    steps = steps_of(process.out);
  }
  if (steps.size() != 3) return fmt::print(stderr, "no steps were printed\n");
  fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", tables, ranks, best, 1e3 * steps[0], 1e3 * steps[1],
             1e3 * steps[2]);
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "trainplan-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  fmt::print("| tables | ranks | s | best sharder, ms | local search, ms | split search, ms |\n");
  fmt::print("| ---: | ---: | ---: | ---: | ---: | ---: |\n");
  time_tables(folder, 12, 4);
  time_tables(folder, 100, 8);
  time_tables(folder, 1000, 128);
  time_tables(folder, 10000, 1024);
  std::filesystem::remove_all(folder);
  return 0;
}
