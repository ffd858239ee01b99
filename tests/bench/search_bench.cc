// How many candidates `trainplan search` decides in a second, on the spaces of tests/bench/search, and how many rows
// `trainplan sweep` prints:
//
//     | space | threads | candidates | costed | s | candidates/s | costed/s | MB |
//
// costed: those that no rule over fields refuses; s: of the whole command, the best of three runs; rates: of one
// thread; MB: the most that it held. `--against PROGRAM` runs another build in turns with this one and prints the
// quotient of their seconds; the exit status is 1 where this one is more than 15 % slower. `--growth` searches spaces
// of 10^6 to more than 10^12 combinations, once each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/process.h"

namespace {

constexpr int kRuns = 3;
const std::string kFolder = TRAINPLAN_SOURCE_DIR "/tests/bench/";
constexpr double kSlower = 1.15;
/// Spaces that are swept, on one number of GPUs.
constexpr std::pair<const char*, const char*> kSwept[]{{"dense", "cluster.gpus=128"},
                                                       {"zero", "cluster.gpus=1024"},
                                                       {"fsdp-hsdp", "cluster.gpus=1024"},
                                                       {"mixture", "cluster.gpus=2048"},
                                                       {"software", "cluster.gpus=range(64, 128, 64)"},
                                                       {"zero-bubble", "cluster.gpus=1024"},
                                                       {"fixed", "cluster.gpus=range(8, 2048, 8)"},
                                                       {"lengths", "cluster.gpus=range(8, 256, 8)"}};

/// A row of the table.
struct Work {
  std::string name;
  int threads = 1;
  std::vector<std::string> command;
  bool sweeps = false;
  int runs = kRuns;
};

/// Candidates, and those of them that were costed.
struct Counts {
  double candidates = 0, costed = 0;
};

Counts counts_of(const std::string& out) {
  const auto json = nlohmann::json::parse(out, nullptr, false);
  if (json.is_discarded() || !json.contains("space")) return {};
  return {.candidates = json["space"]["candidates"], .costed = json["space"]["evaluated"]};
}

/// Counts the rows of a sweep, which come in pieces of any length.
class Rows {
 public:
  void take(std::string_view piece) {
    rest_ += piece;
    size_t begin = 0;
    for (size_t end = 0; (end = rest_.find('\n', begin)) != rest_.npos; begin = end + 1, ++counts.candidates)
      counts.costed += std::string_view(rest_).substr(begin, end - begin).find(kNotCosted) == rest_.npos;
    rest_.erase(0, begin);
  }
  Counts counts;

 private:
  static constexpr std::string_view kNotCosted = "\"step_seconds\":null";
  std::string rest_;  // of a row whose end has not come
};

struct Best {
  bench::Process process;
  Counts counts;
  double seconds = std::numeric_limits<double>::infinity();
  void run(const std::string& program, const Work& work) {
    Rows rows;
    bench::Process one = work.sweeps
                             ? bench::run(program, work.command, [&](std::string_view piece) { rows.take(piece); })
                             : bench::run(program, work.command);
    if (one.wall_seconds >= seconds) return;
    seconds = one.wall_seconds;
    process = std::move(one);
    counts = work.sweeps ? rows.counts : counts_of(process.out);
  }
};

/// Returns whether this build is as fast as the other.
bool time_work(const Work& work, const std::optional<std::string>& against) {
  Best mine, other;
  for (int i = 0; i < work.runs; ++i) {
    mine.run(TRAINPLAN_BINARY, work);
    if (against) other.run(*against, work);
  }
  const Counts& counts = mine.counts;
  if (counts.candidates == 0) {
    fmt::print(stderr, "bench: {} is not searched (exit status {})\n", work.name, mine.process.status);
    return false;
  }
  const double each = mine.seconds * work.threads, quotient = other.seconds / mine.seconds;
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {} |", work.name, work.threads,
             counts.candidates, counts.costed, mine.seconds, counts.candidates / each, counts.costed / each,
             mine.process.megabytes);
  fmt::print("{}\n", against ? fmt::format(" {:.2f} |", quotient) : "");
  std::fflush(stdout);
  return !against || mine.seconds <= kSlower * other.seconds;
}

std::vector<Work> works() {
  const std::filesystem::path folder = kFolder + "search";
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  std::vector<Work> all;
  for (int threads : {1, 2})
    for (const std::filesystem::path& file : files)
      all.push_back(
          {.name = file.stem().string(),
           .threads = threads,
           .command = {"search", file.string(), "--format", "json", "--quiet", "--threads", std::to_string(threads)}});
  for (const auto& [space, set] : kSwept)
    all.push_back({.name = std::string(space) + ", a sweep",
                   .command = {"sweep", (folder / (std::string(space) + ".yaml")).string(), "--format", "ndjson",
                               "--quiet", "--set", set},
                   .sweeps = true});
  return all;
}

struct Grown {
  const char* name;
  const char* file;
  std::vector<std::string> sets;
};

std::vector<Work> growing() {
  const std::vector<std::string> few{
      "cluster.gpus=[1024]", "parallelism.offload={optimizer: 0, activations: [0, 0.5]}",
      "software.overlap={gradients: true, parameters: true, pipeline: true, tensor: false}",
      "software.fusion={softmax: true, rope: true}"};
  const std::vector<Grown> spaces{
      {"dense", "search/dense.yaml", {}},
      {"dense, 20 sizes of memory", "search/dense.yaml", {"cluster.gpu.memory=range(42 GB, 80 GB, 2 GB)"}},
      {"mixture", "search/mixture.yaml", {}},
      {"mixture, 57 numbers of GPUs", "search/mixture.yaml", {"cluster.gpus=range(512, 4096, 64)"}},
      {"mixture, 10 sizes of memory", "search/mixture.yaml", {"cluster.gpu.memory=range(71 GB, 80 GB, 1 GB)"}},
      {"trillion, 1024 GPUs, few flags", "trillion.yaml", few},
      {"trillion, 1024 GPUs", "trillion.yaml", {"cluster.gpus=[1024]"}},
      {"trillion", "trillion.yaml", {}}};
  std::vector<Work> all;
  for (int threads : {1, 2})
    for (const Grown& space : spaces) {
      Work& work = all.emplace_back(Work{.name = space.name, .threads = threads, .runs = 1});
      work.command = {"search",    kFolder + space.file,   "--format", "json", "--quiet",
                      "--threads", std::to_string(threads)};
      for (const std::string& set : space.sets) work.command.insert(work.command.end(), {"--set", set});
    }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const bool pair = argc == 3 && std::string(argv[1]) == "--against";
  const bool grows = argc == 2 && std::string(argv[1]) == "--growth";
  if (argc != 1 && !pair && !grows) return fmt::print(stderr, "usage: {} [--against PROGRAM | --growth]\n", argv[0]), 2;
  std::optional<std::string> against;
  if (pair) against = argv[2];
  fmt::print("| space | threads | candidates | costed | s | candidates/s | costed/s | MB |{}\n",
             pair ? " faster |" : "");
  fmt::print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |{}\n", pair ? " ---: |" : "");
  bool holds = true;
  for (const Work& work : grows ? growing() : works()) holds &= time_work(work, against);
  if (!holds) fmt::print(stderr, "bench: slower by more than {:.0f} %, or not searched\n", 100 * (kSlower - 1));
  return holds ? 0 : 1;
}
