// Traces of any size: how fast they are read, in what memory, and how fast their graphs run.
//
//     | trace | MB | events kept | s | MB/s | resident MB | kept MB |
//     | ring of ranks | operators | nodes | s | operators/s |
//
// The first is what the command `replay` takes for a file, from the start of the process to its end; the second is the
// engine alone, on one thread. A benchmark to read, not a test that fails.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "planner/replay/graph.h"
#include "planner/trace/trace.h"
#include "tests/bench/process.h"

namespace {

namespace fs = std::filesystem;
namespace replay = planner::replay;

const fs::path kFolder = fs::temp_directory_path() / "trainplan-traces";

/// One operator with its launch, its flow and its kernel, as Kineto writes them with shapes.
std::string events(int64_t i, double at_us) {
  const std::string op = fmt::format(
      R"json(  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op_{0}", "pid": 7, "tid": 8,
    "ts": {2:.3f}, "dur": 9.500,
    "args": {{
      "External id": {1},"Record function id": 0, "Concrete Inputs": ["", "", "[16, 16]"],
      "Input type": ["c10::BFloat16", "c10::BFloat16"], "Input Strides": [[150528, 50176, 224, 1], [768, 256, 16, 1]],
      "Input Dims": [[4, 3, 224, 224], [768, 3, 16, 16]], "Ev Idx": {1}
    }}
  }},
)json",
      i % 300, i, at_us);
  const std::string launch = fmt::format(
      R"json(  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8,
    "ts": {1:.3f}, "dur": 5.125,
    "args": {{
      "External id": {0}, "cbid": 211, "correlation": {0}
    }}
  }},
  {{
    "ph": "s", "id": {0}, "pid": 7, "tid": 8, "ts": {1:.3f},
    "cat": "ac2g", "name": "ac2g"
  }},
)json",
      i, at_us + 1);
  const std::string kernel = fmt::format(
      R"json(  {{
    "ph": "X", "cat": "kernel", "name": "void at::vectorized_elementwise_kernel<4, Array<char*, {0}> >(int, Fill<Half>)",
    "pid": 0, "tid": 7, "ts": {2:.3f}, "dur": 8.001,
    "args": {{
      "External id": {1}, "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {1},
      "registers per thread": 16, "shared memory": 0, "blocks per SM": 1.185185, "warps per SM": 4.740741,
      "grid": [128, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 0
    }}
  }},
)json",
      i % 300, i, at_us + 3);
  return op + launch + kernel;
}

/// Writes a trace of about `bytes` bytes; returns the number of its events that are kept.
int64_t write_trace(const fs::path& path, int64_t bytes) {
  std::ofstream out(path, std::ios::binary);
  out << "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 0, \"world_size\": 1}, \"traceEvents\": [\n";
  int64_t operators = 0;
  double at_us = 1694128201436271.0;
  for (int64_t written = 0; written < bytes; ++operators, at_us += 12) {
    const std::string text = events(operators, at_us);
    out << text;
    written += static_cast<int64_t>(text.size());
  }
  out << "{\"ph\": \"i\", \"name\": \"end\", \"ts\": 1}]}\n";
  return 3 * operators;
}

void measure_reading() {
  fmt::print(
      "| trace | MB | events kept | s | MB/s | resident MB | kept MB |\n| --- | ---: | ---: | ---: | ---: | ---: | "
      "---: |\n");
  for (const int64_t megabytes : {10, 100, 1000}) {
    const fs::path path = kFolder / "trace.json";
    const int64_t kept = write_trace(path, megabytes * 1'000'000);
    bench::Process best;
    for (int i = 0; i < 3; ++i) {
      const bench::Process one = bench::run(TRAINPLAN_BINARY, {"replay", path.string(), "--quiet"});
      if (i == 0 || one.processor_seconds < best.processor_seconds) best = one;
    }
    const double size = static_cast<double>(fs::file_size(path)) * 1e-6;
    const auto kept_mb = static_cast<double>(kept) * sizeof(planner::trace::Event) * 1e-6;
    fmt::print("| {} | {:.0f} | {} | {:.2f} | {:.0f} | {} | {:.0f} |\n", best.status == 0 ? "Kineto, plain" : "failed",
               size, kept, best.processor_seconds, size / best.processor_seconds, best.megabytes, kept_mb);
  }
}

/// Ranks that compute and exchange in turns: each kernel has its launch, every eighth is a collective of all.
replay::Graph ring(int64_t operators, int64_t ranks) {
  replay::Graph graph;
  const int64_t each = operators / ranks;
  std::vector<uint32_t> call(static_cast<size_t>(ranks)), kernel(static_cast<size_t>(ranks));
  for (int64_t i = 0; i < each; ++i) {
    const bool meets = i % 8 == 7;
    const uint32_t join = meets ? graph.add(replay::ReplayNode{}) : 0;
    for (size_t r = 0; r < static_cast<size_t>(ranks); ++r) {
      const uint32_t launch = graph.add({.duration_ns = 5000, .earliest_ns = i == 0 ? 0 : replay::kNever});
      const uint32_t work = graph.add(
          {.duration_ns = meets ? 0 : 4000 + static_cast<int64_t>((r * 31 + static_cast<size_t>(i) * 17) % 3000)});
      if (i > 0) graph.add({.from = call[r], .to = launch, .lag_ns = 1000});
      if (i > 0) graph.add({.from = kernel[r], .to = work});
      graph.add({.from = launch, .to = work, .lag_ns = 3000, .cause = replay::Cause::launch, .from_begin = true});
      call[r] = launch;
      kernel[r] = work;
      if (!meets) continue;
      graph.add({.from = work, .to = join, .cause = replay::Cause::ranks});
      kernel[r] = graph.add(replay::ReplayNode{});
      graph.add({.from = join, .to = kernel[r], .lag_ns = 9000, .cause = replay::Cause::ranks});
    }
  }
  return graph;
}

void measure_replay() {
  fmt::print("\n| ring of ranks | operators | nodes | s | operators/s |\n| --- | ---: | ---: | ---: | ---: |\n");
  for (const int64_t operators : {10'000, 100'000, 1'000'000, 10'000'000}) {
    const replay::Graph graph = ring(operators, 64);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      if (!replay::run(graph)) return void(fmt::print("no times\n"));
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    fmt::print("| 64 | {} | {} | {:.4f} | {:.0f} |\n", operators, graph.nodes.size(), best,
               static_cast<double>(operators) / best);
  }
}

}  // namespace

int main() {
  fs::remove_all(kFolder);
  fs::create_directories(kFolder);
  measure_reading();
  measure_replay();
  fs::remove_all(kFolder);
}
