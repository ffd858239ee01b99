// How long `trainplan plan` takes for every shipped scenario (medians, in milliseconds):
//
//     | scenario | process | reading | planning |
//     | gpt3-175b | 4.1 | 1.5 | 0.08 |
//
// and how long one operator takes to price (means over a mix of sizes, in nanoseconds).
//
// and how many configurations of a study's grid its communication is analysed for in a second.
//
// process: from the start of the process to its end; reading: read_scenario, the catalogue entries
// it uses included; planning: make_plan alone. A benchmark to read, not a test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "operator_models/cost.h"
#include "planner/plan/comm.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/scenario/scenario.h"
#include "planner/search/candidate.h"
#include "planner/workload/cost.h"
#include "tests/bench/process.h"

namespace {

constexpr int kProcessRuns = 20, kReadingRuns = 50, kPlanningRuns = 200, kPricingRuns = 200;

/// Median of `runs` timings of `work`, after one run that is not counted.
double median_milliseconds(int runs, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    Clock::time_point start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<size_t>(runs) / 2];
}

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

/// Runs `trainplan plan --pick first --quiet FILE` with its output thrown away. Exit status 3 (a plan with violations)
/// is a plan too.
void run_process(const std::string& file) {
  const int status = bench::run(TRAINPLAN_BINARY, {"plan", "--pick", "first", "--quiet", file}).status;
  if (status != 0 && status != 3) give_up("cannot plan " + file);
}

planner::LoadedScenario read(const dsl::Source& source) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Catalog catalog{planner::builtin_catalog(), {}};
  auto loaded = planner::read_scenario(source, {}, catalog, sources, diagnostics, {.pick_first = true});
  if (!loaded) give_up("cannot read " + source.name);
  return std::move(*loaded);
}

dsl::Source source_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {file.string(), {std::istreambuf_iterator<char>(in), {}}, file.parent_path().string()};
}

std::vector<std::filesystem::path> shipped_scenarios() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINPLAN_SOURCE_DIR "/scenarios"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Every kind of collective by sizes from 1 KiB to 1 GiB, inside a node of eight and over 16 of them.
std::vector<operator_models::Operator> collectives() {
  std::vector<operator_models::Operator> mix;
  for (int kind = 0; kind < 4; ++kind)
    for (double bytes = 1024; bytes <= 1 << 30; bytes *= 2)
      for (int64_t nodes : {1, 1, 1, 16})  // most are of a tensor parallel group
        mix.emplace_back(operator_models::Collective{.kind = static_cast<operator_models::CollectiveKind>(kind),
                                                     .bytes = {bytes},
                                                     .group = {8 * nodes, {8, 8 * nodes}}});
  return mix;
}

/// Forward products of layers from 1k to 28k wide.
std::vector<operator_models::Operator> training_gemms() {
  std::vector<operator_models::Operator> mix;
  for (int64_t tokens : {1024, 2048, 4096, 8192})
    for (int64_t out : {1536, 4096, 6144, 12288, 28672})
      for (int64_t in : {1024, 4096, 8192, 14336}) mix.push_back(operator_models::Gemm{.m = tokens, .n = out, .k = in});
  return mix;
}

/// Causal attention of one layer at several lengths, and softmaxes of several widths.
std::vector<operator_models::Operator> attentions() {
  std::vector<operator_models::Operator> mix;
  for (int64_t keys = 1024; keys <= 32768; keys *= 2)
    mix.emplace_back(operator_models::Attention{
        .kernel = "flash3", .heads = 64, .kv_heads = 8, .queries = keys, .keys = keys, .head_dim = 128});
  return mix;
}
std::vector<operator_models::Operator> vector_kernels() {
  std::vector<operator_models::Operator> mix;
  for (double rows = 256; rows <= 65536; rows *= 4)
    mix.emplace_back(operator_models::Vector{
        operator_models::VectorKind::softmax, rows * 3000, {rows * 6000}, {rows * 6000}, 1, 3000});
  return mix;
}

/// Mean time of one `cost` on the machine of a shipped scenario.
double mean_nanoseconds(const planner::Scenario& scenario, const std::vector<operator_models::Operator>& mix) {
  const operator_models::Device device = planner::device_of(scenario);
  volatile double sum = 0;  // the results are wanted
  const double milliseconds = median_milliseconds(kPricingRuns, [&] {
    double seconds = 0;
    for (const operator_models::Operator& op : mix) seconds += operator_models::cost(op, device).seconds.value;
    sum = seconds;
  });
  return milliseconds * 1e6 / static_cast<double>(mix.size());
}

/// The grid of table 5.1 of Pati's dissertation: every operator of every configuration costed, and the shares of its
/// communication; the dissertation saves 2100 times the profiling of the same grid (section 5.3.3.8).
void print_sweep() {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source = source_of(TRAINPLAN_SOURCE_DIR "/scenarios/studies/pati-5.9.yaml");
  const std::vector<dsl::Override> grid{{"model.hidden=pow2(1024, 65536)", {}},
                                        {"job.sequence=pow2(1024, 8192)", {}},
                                        {"parallelism.tp=pow2(4, 256)", {}},
                                        {"parallelism.dp=4", {}}};
  const auto open = planner::read_open_scenario(source, grid, {planner::builtin_catalog(), {}}, sources, diagnostics);
  if (!open) give_up("cannot read " + source.name);
  int configurations = 0;
  const double milliseconds = median_milliseconds(kPricingRuns, [&] {
    dsl::Cursor cursor(open->space);
    planner::Candidate candidate(*open);
    for (configurations = 0; cursor.next(); ++configurations) planner::comm_fractions(candidate.at(cursor));
  });
  fmt::print("\n| sweep | configurations | ms | configurations/s |\n| --- | ---: | ---: | ---: |\n");
  fmt::print("| table 5.1 of Pati 2024, communication of each | {} | {:.1f} | {:.0f} |\n", configurations, milliseconds,
             configurations / milliseconds * 1e3);
}

}  // namespace

int main() {
  fmt::print("| scenario | process ms | reading ms | planning ms |\n| --- | ---: | ---: | ---: |\n");
  for (const std::filesystem::path& file : shipped_scenarios()) {
    double process = median_milliseconds(kProcessRuns, [&] { run_process(file.string()); });
    dsl::Source source = source_of(file);
    double reading = median_milliseconds(kReadingRuns, [&] { read(source); });
    planner::LoadedScenario loaded = read(source);
    double planning = median_milliseconds(kPlanningRuns, [&] { planner::make_plan(loaded.scenario); });
    fmt::print("| {} | {:.1f} | {:.2f} | {:.3f} |\n", file.stem().string(), process, reading, planning);
    std::fflush(stdout);
  }
  const planner::LoadedScenario h100 = read(source_of(TRAINPLAN_SOURCE_DIR "/scenarios/llama3-70b-h100.yaml"));
  fmt::print("\n| operator | ns |\n| --- | ---: |\n");
  const std::vector<std::pair<const char*, std::vector<operator_models::Operator>>> mixes{
      {"gemm", training_gemms()},
      {"collective, inside a node and across", collectives()},
      {"attention", attentions()},
      {"vector", vector_kernels()},
  };
  for (const auto& [name, mix] : mixes) fmt::print("| {} | {:.0f} |\n", name, mean_nanoseconds(h100.scenario, mix));
  print_sweep();
}
