// How many candidates `trainplan search` decides in a second, on the spaces of tests/bench/search:
//
//     | space | threads | candidates | costed | s | candidates/s | costed/s | MB |
//
// costed: those that no rule over fields refuses; s: of the whole command, the best of three runs; rates: of one
// thread; MB: the most that it held. `--against PROGRAM` runs another build in turns with this one and prints the
// quotient of their seconds; the exit status is 1 where this one is more than 15 % slower.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "tests/bench/process.h"

namespace {

constexpr int kRuns = 3;
constexpr double kSlower = 1.15;

struct Best {
  bench::Process process;
  double seconds = std::numeric_limits<double>::infinity();
  void run(const std::string& program, const std::string& file, int threads) {
    const std::string count = std::to_string(threads);
    bench::Process one = bench::run(program, {"search", file, "--format", "json", "--quiet", "--threads", count});
    if (one.wall_seconds >= seconds) return;
    seconds = one.wall_seconds;
    process = std::move(one);
  }
};

/// Returns whether this build is as fast as the other.
bool time_space(const std::filesystem::path& file, int threads, const std::optional<std::string>& against) {
  Best mine, other;
  for (int i = 0; i < kRuns; ++i) {
    mine.run(TRAINPLAN_BINARY, file.string(), threads);
    if (against) other.run(*against, file.string(), threads);
  }
  const auto json = nlohmann::json::parse(mine.process.out, nullptr, false);
  if (json.is_discarded() || !json.contains("space")) {
    fmt::print(stderr, "bench: {} is not searched (exit status {})\n", file.string(), mine.process.status);
    return false;
  }
  const double candidates = json["space"]["candidates"], costed = json["space"]["evaluated"];
  const double each = mine.seconds * threads, quotient = other.seconds / mine.seconds;
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {} |", file.stem().string(), threads, candidates,
             costed, mine.seconds, candidates / each, costed / each, mine.process.megabytes);
  fmt::print("{}\n", against ? fmt::format(" {:.2f} |", quotient) : "");
  std::fflush(stdout);
  return !against || mine.seconds <= kSlower * other.seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bool pair = argc == 3 && std::string(argv[1]) == "--against";
  if (argc != 1 && !pair) return fmt::print(stderr, "usage: {} [--against PROGRAM]\n", argv[0]), 2;
  std::optional<std::string> against;
  if (pair) against = argv[2];
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINPLAN_SOURCE_DIR "/tests/bench/search"))
    files.insert(entry.path());
  fmt::print("| space | threads | candidates | costed | s | candidates/s | costed/s | MB |{}\n",
             pair ? " faster |" : "");
  fmt::print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |{}\n", pair ? " ---: |" : "");
  bool holds = true;
  for (int threads : {1, 2})
    for (const std::filesystem::path& file : files) holds &= time_space(file, threads, against);
  if (!holds) fmt::print(stderr, "bench: slower by more than {:.0f} %, or not searched\n", 100 * (kSlower - 1));
  return holds ? 0 : 1;
}
