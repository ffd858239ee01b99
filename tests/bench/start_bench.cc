// What whole commands take, from the start of the process to its end:
//
//     | command | million instructions | ms of processor time |
//
// Instructions are counted by valgrind, where it is installed. ms: user and system, the median of 50 runs; of `scale`
// the median of three, and how many models a second that is. A benchmark to read, not a test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/process.h"

namespace {

namespace fs = std::filesystem;
using Args = std::vector<std::string>;

constexpr int kRuns = 50;
constexpr int kModels = 20000;
const fs::path kFolder = fs::temp_directory_path() / "trainplan-start";

double median_ms(const Args& args, int runs) {
  std::vector<double> ms;
  for (int i = 0; i < runs; ++i) ms.push_back(bench::run(TRAINPLAN_BINARY, args).processor_seconds * 1000);
  std::ranges::nth_element(ms, ms.begin() + runs / 2);
  return ms[static_cast<size_t>(runs / 2)];
}

/// "23.4", or "-" if there is no valgrind.
std::string instructions(const Args& args) {
  const fs::path log = kFolder / "log";
  Args all{"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=" + log.string(),
           TRAINPLAN_BINARY};
  all.insert(all.end(), args.begin(), args.end());
  bench::run("/usr/bin/env", all);
  std::ifstream in(log);
  double count = 0;
  for (std::string word; in >> word;)
    if (word == "Collected" && in >> word >> count) break;
  return count > 0 ? fmt::format("{:.1f}", count / 1e6) : "-";
}

void measure(const std::string& name, const Args& args) {
  const std::string counted = instructions(args);
  fmt::print("| {} | {} | {:.1f} |\n", name, counted, median_ms(args, kRuns));
}

/// Measurements of a program whose call paths are each something of a square root under a ripple of 1 %.
std::string measurements() {
  std::string text = "PARAMETER p\nPOINTS (4) (8) (16) (32) (64)\n";
  for (int path = 0; path < kModels; ++path) {
    text += fmt::format("\nREGION main->kernel{}\nMETRIC time\n", path);
    for (const double x : {4, 8, 16, 32, 64})
      text += fmt::format("DATA {:.6g}\n", 2 + std::sqrt(x) * (1 + 0.01 * std::sin(x + path)));
  }
  return text;
}

void measure_models() {
  const std::string path = (kFolder / "measured.txt").string();
  std::ofstream(path, std::ios::binary) << measurements();
  fmt::print("\n| command | models | s | models/s |\n| --- | ---: | ---: | ---: |\n");
  for (const char* format : {"table", "json"}) {
    const double seconds = median_ms({"scale", path, "--format", format}, 3) / 1000;
    fmt::print("| scale --format {} | {} | {:.3f} | {:.0f} |\n", format, kModels, seconds, kModels / seconds);
  }
}

}  // namespace

int main() {
  fs::remove_all(kFolder);
  fs::create_directories(kFolder);
  fmt::print("| command | million instructions | ms of processor time |\n| --- | ---: | ---: |\n");
  measure("--version", {"--version"});
  const std::string scenarios = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b";
  measure("plan gpt3-175b", {"plan", scenarios + ".yaml"});
  measure("plan gpt3-175b --format json", {"plan", scenarios + ".yaml", "--format", "json"});
  for (const char* search : {"search", "deadline", "budget"})
    measure(fmt::format("search gpt3-175b-{}", search), {"search", fmt::format("{}-{}.yaml", scenarios, search)});
  measure_models();
  fs::remove_all(kFolder);
}
