// Kernels that need what others made, as an execution trace knows it.
#include "planner/replay/data_edges.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using planner::trace::Dependency;
using planner::trace::RankTrace;
using sample::KinetoText;
using sample::kUs;
using sample::Replay;

namespace {

/// Operators of 10 us, one after the other, whose launch takes 2 us; each kernel is `lengths` us long, on its stream,
/// behind whatever is there. A length of 0: a view, without a kernel.
struct Operators {
  KinetoText text;
  std::array<int64_t, 10> free{};
  int count = 0;

  Operators& add(int64_t length, int stream = 7) {
    const int64_t begin = 10 * count++;
    const std::string correlation = R"("correlation": )" + std::to_string(count);
    sample::span(text, "cpu_op", "op" + std::to_string(count), begin, 10);
    if (length == 0) return *this;
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(begin + 1), "2", correlation);
    int64_t& free_at = free[static_cast<size_t>(stream)];
    const int64_t starts = std::max(free_at, begin + 4);
    text.event("kernel", "kernel" + std::to_string(count), 0, std::to_string(stream), std::to_string(starts),
               std::to_string(length), correlation + R"(, "stream": )" + std::to_string(stream));
    free_at = starts + length;
    return *this;
  }
};

uint32_t event_of(const RankTrace& rank, const std::string& name) {
  for (uint32_t i = 0; i < rank.events.size(); ++i)
    if (rank.name(rank.events[i]) == name) return i;
  FAIL(name);
  return 0;
}

/// Dependencies by the operators' numbers, from 1.
size_t add(Replay& replay, const std::vector<std::pair<int, int>>& numbers) {
  std::vector<Dependency> all;
  const RankTrace& rank = replay.trace[0];
  for (const auto& [from, to] : numbers)
    all.push_back({event_of(rank, "op" + std::to_string(from)), event_of(rank, "op" + std::to_string(to))});
  return add_data_edges(rank, 0, all, replay.replayed);
}

/// When a kernel begins, in microseconds, with a kernel in another stream.
int64_t begins_us(const Replay& replay, const std::string& kernel, const std::string& moved, int64_t stream) {
  Replayed other = replay.replayed;
  CHECK(apply({.pattern = moved, .stream = stream}, replay.trace, other).changed == 1);
  return run(other.graph).value()[other.events[0][event_of(replay.trace[0], kernel)].first].begin_ns / kUs;
}

}  // namespace

TEST_CASE("a kernel begins after those that made what it takes, also when they are moved") {
  // kernel1 on stream 7 to 104, kernel2 behind it to 204, kernel3 behind that; stream 8 has a short one at 34.
  const Operators ops = Operators().add(100).add(100).add(100).add(1, 8);
  Replay blind({ops.text}), seeing({ops.text});
  CHECK(begins_us(blind, "kernel3", "kernel2", 8) == 104);  // as if it did not need the second one
  CHECK(add(seeing, {{2, 3}}) == 1);
  CHECK(seeing.worst() == 0);
  CHECK(begins_us(seeing, "kernel3", "kernel2", 8) == 114);  // the second one is launched at 11 and begins at 14
}

TEST_CASE("views pass on what they are of") {
  const auto ops = [] { return Operators().add(100).add(100).add(0).add(0).add(100).add(1, 8); };
  Replay replay({ops().text});
  // 3 is a view of 2, 4 one of 3, 5 takes 4: its kernel needs that of 2.
  CHECK(add(replay, {{2, 3}, {3, 4}, {4, 5}}) == 1);
  CHECK(begins_us(replay, "kernel5", "kernel2", 8) == 114);
  Replay broken({ops().text});
  CHECK(add(broken, {{3, 4}, {4, 5}}) == 0);  // of nothing
}

TEST_CASE("what the measured times contradict is no edge") {
  // The second kernel, on another stream, begins at 14 while the first one runs until 104.
  const Operators ops = Operators().add(100).add(100, 8);
  Replay replay({ops.text});
  CHECK(add(replay, {{1, 2}}) == 0);
  CHECK(add(replay, {{2, 1}}) == 0);  // backwards
  CHECK(add(replay, {{1, 1}}) == 0);
}

TEST_CASE("the same need counts once, through whatever operators") {
  const Operators ops = Operators().add(5).add(0).add(5);
  Replay replay({ops.text});
  CHECK(add(replay, {{1, 3}, {1, 2}, {2, 3}, {1, 3}}) == 1);
}

TEST_CASE("without changes a replay stays what was measured, whatever depends on what") {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    Operators ops;
    std::vector<std::pair<int, int>> needs;
    for (int i = 1; i <= 30; ++i) {
      ops.add(static_cast<int64_t>(random() % 4) * 9, 7 + static_cast<int>(random() % 3));
      for (int k = 0; k < 2 && i > 1; ++k) needs.emplace_back(static_cast<int>(random() % 30) + 1, i);
    }
    Replay replay({ops.text});
    const int64_t before = replay.worst();
    CHECK(before == 0);
    add(replay, needs);
    CHECK(replay.worst() == 0);
  }
}
