// What `tune` takes, and what the ways of dPRO to shorten its search give: the tables of docs/benchmarks.md.
//
//     | model | ranks | plans | step before, ms | after, ms | s |            the whole command, processor time
//     | model | without | pieces | theorems, ms | step, ms | best of all, ms | step, ms |        one search each
//
// Without the coarsened view each operator is a piece; without partial replay the time of a reduction is found by a
// replay of the whole pass; without symmetry each of the 16 ranks is searched for itself. A benchmark to read, not a
// test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "planner/resolve/read.h"
#include "planner/tuning/planned.h"
#include "planner/tuning/tuned.h"
#include "tests/bench/process.h"

namespace {

using namespace planner::tuning;

constexpr const char* kScenario = TRAINPLAN_SOURCE_DIR "/scenarios/dpro-bert-base.yaml";
constexpr int kRuns = 3;
constexpr int kRanks = 16;

struct Model {
  const char* name;
  std::vector<std::string> sets;
};
const std::vector<Model> kModels{
    {"bert-base", {"model.use=bert-base", "job.sequence=128", "job.optimizer=adam"}},
    {"resnet-50", {"model.use=resnet-50", "job.sequence=1", "job.optimizer=sgd"}},
    {"vgg-16", {"model.use=vgg-16", "job.sequence=1", "job.optimizer=sgd"}},
    {"inception-v3", {"model.use=inception-v3", "job.sequence=1", "job.optimizer=sgd"}},
};

std::vector<std::string> sets_of(const Model& model, int ranks) {
  std::vector<std::string> sets = model.sets;
  sets.push_back(fmt::format("cluster.gpus={}", ranks));
  sets.push_back(fmt::format("parallelism.dp={}", ranks));
  sets.push_back(fmt::format("job.global_batch={}", 32 * ranks));
  return sets;
}

void time_command(const Model& model, int ranks) {
  std::vector<std::string> args{"tune", kScenario, "--format", "json", "--quiet"};
  for (const std::string& set : sets_of(model, ranks)) args.insert(args.end(), {"--set", set});
  double best = 1e300;
  nlohmann::json document;
  for (int i = 0; i < kRuns; ++i) {
    const bench::Process process = bench::run(TRAINPLAN_BINARY, args);
    if (process.status != 0) return fmt::print(stderr, "tune of {} ended with {}\n", model.name, process.status);
    best = std::min(best, process.processor_seconds);
    document = nlohmann::json::parse(process.out);
  }
  fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.3f} |\n", model.name, ranks, document["plans"].get<int>(),
             1e3 * document["step_seconds_before"].get<double>(), 1e3 * document["step_seconds_after"].get<double>(),
             best);
}

/// Milliseconds of the fastest of some runs.
template <class Function> double timed(const Function& function) {
  double best = 1e300;
  for (int i = 0; i < kRuns; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

/// One search of a pass, by the theorems and of all strategies.
void time_search(const char* model, const char* without, const Backward& pass, const SyncSeconds& seconds,
                 int ranks = 1) {
  const Sync sync(seconds, 64);
  const Allowed allowed;
  double theorems = 0, best = 0;
  const double theorems_ms = timed([&] {
    for (int rank = 0; rank < ranks; ++rank)
      theorems = improve(pass, sync, allowed, FusionStrategy(pass.pieces.size())).replay.step_seconds;
  });
  const double best_ms = timed([&] {
    for (int rank = 0; rank < ranks; ++rank) best = best_of_all(pass, sync, allowed).replay.step_seconds;
  });
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {:.2f} | {:.1f} |\n", model, without, pass.pieces.size(), theorems_ms,
             1e3 * theorems, best_ms, 1e3 * best);
}

// What a reduction takes, as the rest of a step that is replayed whole.
SyncSeconds by_whole_replays(const Backward& pass, const SyncSeconds& seconds) {
  return [&pass, seconds](double bytes, int partitions) {
    const double own = seconds(bytes, partitions);
    Backward more = pass;
    more.pieces.push_back({.name = "", .seconds = 0, .gradient_bytes = bytes});
    const Sync sync([own](double, int) { return own; }, 1);
    const Replay whole = replay(more, FusionStrategy(more.pieces.size()), sync);
    return whole.buckets.back().end_seconds - whole.buckets.back().begin_seconds;
  };
}

planner::Scenario scenario_of(const Model& model) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  std::ifstream in(kScenario);
  const dsl::Source source{kScenario, {std::istreambuf_iterator<char>(in), {}}, ""};
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets_of(model, kRanks)) overrides.push_back({set, {}});
  return planner::read_scenario(source, overrides, catalog, sources, diagnostics)->scenario;
}

void time_searches(const Model& model) {
  const planner::Scenario scenario = scenario_of(model);
  const Subject coarse = *planned_pass(scenario).subject, fine = *uncoarsened_pass(scenario).subject;
  time_search(model.name, "nothing", coarse.pass, coarse.sync);
  time_search(model.name, "symmetry", coarse.pass, coarse.sync, kRanks);
  time_search(model.name, "coarsened view", fine.pass, fine.sync);
  time_search(model.name, "partial replay", coarse.pass, by_whole_replays(coarse.pass, coarse.sync));
}

}  // namespace

int main() {
  fmt::print(
      "| model | ranks | plans | step before, ms | after, ms | s |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Model& model : kModels)
    for (const int ranks : {16, 128}) time_command(model, ranks);
  fmt::print("\n| model | without | pieces | theorems, ms | step, ms | best of all, ms | step, ms |\n");
  fmt::print("| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Model& model : kModels) time_searches(model);
  return 0;
}
