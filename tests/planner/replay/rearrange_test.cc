// Kernels that become one, and kernels in another stream.
#include "planner/replay/rearrange.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;
using sample::span;

namespace {

struct Changed {
  Rearranged told;
  int64_t end_us = 0;
};
Changed changed(const Replay& replay, const Rearrangement& change) {
  Replayed other = replay.replayed;
  const Rearranged told = apply(change, replay.trace, other);
  return {told, run(other.graph).value()[other.ends[0]].end_ns / kUs};
}

/// Three kernels behind one another, 5 us apart, that are launched every 10 us; each call takes 4 us.
KinetoText three() {
  KinetoText text;
  for (int i = 0; i < 3; ++i) {
    const std::string correlation = R"("correlation": )" + std::to_string(i + 1);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(10 * i), "4", correlation);
    text.event("kernel", i == 1 ? "relu" : "bias", 0, "7", std::to_string(5 + 45 * i), "40",
               correlation + R"(, "stream": 7)");
  }
  return text;
}

}  // namespace

TEST_CASE("kernels that become one have no gaps between them, and one launch") {
  const Replay replay({three()});
  REQUIRE(replay.ends() == std::vector<int64_t>{135 * kUs});
  const Changed all = changed(replay, {.pattern = "*"});
  CHECK(all.told.found == 3);
  CHECK(all.told.changed == 2);
  CHECK(all.end_us == 5 + 3 * 40);
  const Changed biases = changed(replay, {.pattern = "bias"});  // another one stands between them
  CHECK(biases.told.found == 2);
  CHECK(biases.told.changed == 0);
  CHECK(biases.end_us == 135);
  CHECK(changed(replay, {.pattern = "*", .rank = 1}).told.found == 0);
}

TEST_CASE("what is launched once saves the host its calls") {
  KinetoText text;
  text.kernel("a", 7, 10, 1).kernel("a", 7, 20, 1).kernel("a", 7, 30, 1);  // each call takes 1 us
  const Replay replay({text});
  REQUIRE(replay.ends() == std::vector<int64_t>{31 * kUs});
  CHECK(changed(replay, {.pattern = "a"}).end_us == 10 + 3 * 1 + 15);  // the host still goes to its last call
}

TEST_CASE("a kernel in another stream holds nothing up in its own") {
  const auto two = [] { return three().kernel("copy", 9, 3, 10); };
  const Replay replay({two()});
  const Changed moved = changed(replay, {.pattern = "relu", .stream = 9});
  CHECK(moved.told.found == 1);
  CHECK(moved.told.changed == 1);
  CHECK(moved.end_us == 90);  // from its launch, 15 us; the last one behind the first
  CHECK(changed(replay, {.pattern = "relu", .stream = 7}).told.changed == 0);  // where it is
  CHECK(changed(replay, {.pattern = "relu", .stream = 8}).told.changed == 0);  // a stream without work
  const Changed both = changed(replay, {.pattern = "bias", .stream = 9});
  CHECK(both.told.changed == 2);
}

TEST_CASE("random streams: the work of each stream is one after the other, whatever was moved") {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    KinetoText text;
    int64_t host = 0;
    std::array<int64_t, 3> free{};
    for (int i = 0; i < 30; ++i) {
      const size_t stream = random() % 3;
      const int64_t begin = std::max(host + 5, free[stream]), duration = static_cast<int64_t>(random() % 30) + 1;
      const std::string correlation = R"("correlation": )" + std::to_string(i + 1);
      text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(host), "2", correlation);
      text.event("kernel", random() % 2 ? "a" : "b", 0, std::to_string(stream), std::to_string(begin),
                 std::to_string(duration), correlation + R"(, "stream": )" + std::to_string(stream));
      free[stream] = begin + duration;
      host += 2 + static_cast<int64_t>(random() % 20);
    }
    const Replay replay({text});
    Replayed other = replay.replayed;
    const Rearranged told = apply({.pattern = "a", .stream = 1}, replay.trace, other);
    const auto runs = run(other.graph).value();
    std::array<std::vector<std::pair<int64_t, int64_t>>, 3> times;
    size_t moved = 0;
    const planner::trace::RankTrace& rank = replay.trace[0];
    for (size_t i = 0; i < rank.events.size(); ++i) {
      if (!planner::trace::is_on_device(rank.events[i].kind)) continue;
      const auto own = static_cast<size_t>(rank.lane(rank.events[i]).thread);
      const bool moves = rank.name(rank.events[i]) == "a" && own != 1;
      moved += moves;
      const Run& at = runs[other.events[0][i].first];
      times[moves ? 1 : own].emplace_back(at.begin_ns, at.end_ns);
    }
    CHECK(told.changed == moved);
    for (auto& stream : times) {
      std::ranges::sort(stream);
      for (size_t i = 1; i < stream.size(); ++i) CHECK(stream[i].first >= stream[i - 1].second);
    }
  }
}
