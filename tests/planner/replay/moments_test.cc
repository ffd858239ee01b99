// What lies between hosts and devices, taken from one rank and given to another.
#include "planner/replay/moments.h"

#include <doctest/doctest.h>

#include "planner/replay/unseen.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;
using sample::span;
using Ends = std::vector<int64_t>;

namespace {

/// A rank whose kernels begin `launch` after their calls, `gap` after the kernel before, and whose wait returns `back`
/// after the last one.
KinetoText rank_with(int rank, int64_t launch, int64_t gap, int64_t back) {
  KinetoText text = ranked(rank, 2);
  const auto kernel = [&](const std::string& name, int call, int64_t called, int64_t begin, int64_t duration) {
    const std::string correlation = R"("correlation": )" + std::to_string(call);
    span(text, "cpu_op", "aten::" + name, called, 2);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(called), "1", correlation);
    text.event("kernel", name, 0, "7", std::to_string(begin), std::to_string(duration),
               correlation + R"(, "stream": 7)");
  };
  const int64_t first = launch, second = first + 30 + gap;
  kernel("gemm", 1, 0, first, 30);
  kernel("adam", 2, 4, second, 10);
  span(text, "cuda_runtime", "cudaStreamSynchronize", 8, second + 10 + back - 8);
  return text;
}

Ends predicted(const Replay& replay, size_t rank, const Statistics& known) {
  Replayed changed = replay.replayed;
  give(
      known, replay.trace, [=](size_t r, int64_t) { return r == rank; }, changed);
  const auto runs = run(changed.graph).value();
  Ends ends;
  for (const uint32_t node : changed.ends) ends.push_back(runs[node].end_ns / kUs);
  return ends;
}

}  // namespace

TEST_CASE("launches, gaps and returns of one rank are those of the other") {
  const Replay replay({rank_with(0, 3, 1, 2), rank_with(1, 9, 5, 7)});
  REQUIRE(replay.worst() == 0);
  Statistics known;
  learn(
      replay.trace, replay.replayed, [](size_t rank, int64_t) { return rank == 1; }, known);
  CHECK(predicted(replay, 0, known) == Ends{9 + 30 + 5 + 10 + 7, 61});
  CHECK(predicted(replay, 1, known) == Ends{46, 61});  // its own
}

TEST_CASE("of several the mean counts, and what nobody knows stays") {
  const Replay replay({rank_with(0, 3, 1, 2), rank_with(1, 9, 5, 6)});
  Statistics both, none;
  learn(
      replay.trace, replay.replayed, [](size_t, int64_t) { return true; }, both);
  learn(
      replay.trace, replay.replayed, [](size_t, int64_t) { return false; }, none);
  CHECK(predicted(replay, 0, both)[0] == 6 + 30 + 3 + 10 + 4);
  CHECK(predicted(replay, 0, none) == Ends{46, 60});
}

TEST_CASE("a name that nobody had takes the mean of its cause") {
  const Replay replay({rank_with(0, 3, 1, 2), rank_with(1, 9, 5, 6)});
  Statistics before;  // of the time before the second kernel's launch: the first kernel alone
  learn(
      replay.trace, replay.replayed, [](size_t rank, int64_t at) { return rank == 1 && at < 4 * kUs; }, before);
  // The second kernel's launch takes 9 us, too, and its gap is its own.
  CHECK(predicted(replay, 0, before)[0] == 9 + 30 + 1 + 10 + 2);
}

TEST_CASE("a rank is predicted from nothing of its own but what its device computes") {
  const Replay replay({rank_with(0, 3, 1, 2), rank_with(1, 9, 5, 6)});
  const std::vector<Unseen> unseen = predict_each(replay.trace, replay.steps, replay.replayed);
  REQUIRE(unseen.size() == 2);
  CHECK(unseen[0].measured_ns == 46 * kUs);
  CHECK(unseen[0].predicted_ns == 60 * kUs);
  CHECK(unseen[1].predicted_ns == 46 * kUs);
}
