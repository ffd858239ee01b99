// How many candidates a search costs in a second:
//
//     | space | threads | candidates | costed | s | costed/s | per thread | MB |
//
// costed: in full (memory, step, breakdown, cost); s: the best of five walks from nothing, reading left out; MB: the
// most that the process had by then. A benchmark to read, not a test that fails.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "planner/resolve/read.h"
#include "planner/search/search.h"

namespace {

constexpr int kWalks = 5;

dsl::Source source_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {.name = file.string(), .text = std::string(std::istreambuf_iterator<char>(in), {}), .directory = ""};
}

planner::OpenScenario open(const dsl::Source& source) {
  static dsl::Sources sources;  // spans point into them
  dsl::Diagnostics diagnostics;
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  auto scenario = planner::read_open_scenario(source, {}, catalog, sources, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) fmt::print(stderr, "{}\n", dsl::render(d));
  if (!scenario) std::exit(1);
  return std::move(*scenario);
}

double most_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

void time_space(const std::filesystem::path& file, int64_t threads) {
  const dsl::Source source = source_of(file);
  const planner::OpenScenario scenario = open(source);
  double best = std::numeric_limits<double>::infinity();
  planner::SearchResult result;
  for (int i = 0; i < kWalks; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = planner::search(scenario, {.top = 10, .pareto = {}, .threads = threads});
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const double rate = static_cast<double>(result.evaluated) / best;
  fmt::print("| {} | {} | {} | {} | {:.2f} | {:.0f} | {:.0f} | {:.0f} |\n", file.stem().string(), threads,
             result.candidates, result.evaluated, best, rate, rate / static_cast<double>(threads), most_megabytes());
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINPLAN_SOURCE_DIR "/tests/bench/search"))
    files.insert(entry.path());
  fmt::print("| space | threads | candidates | costed | s | costed/s | per thread | MB |\n");
  fmt::print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (int64_t threads : {1, 2})
    for (const std::filesystem::path& file : files) time_space(file, threads);
}
