// Graphs of small traces: they replay as measured, and what waits for what moves with it.
#include <doctest/doctest.h>

#include "planner/replay/calls.h"
#include "planner/replay/rearrange.h"
#include "planner/replay/replayed.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;

namespace {

/// A call of thread 1.
KinetoText& call(KinetoText& text, const std::string& name, int64_t start, int64_t duration,
                 const std::string& args = "") {
  return text.event("cuda_runtime", name, 100, "1", std::to_string(start), std::to_string(duration), args);
}
KinetoText& op(KinetoText& text, const std::string& name, int64_t start, int64_t duration, const char* thread = "1") {
  return text.event("cpu_op", name, 100, thread, std::to_string(start), std::to_string(duration));
}
Edits scale(const std::string& pattern, double factor, std::optional<size_t> rank = {}) {
  return {.scalings = {{pattern, factor, rank}}};
}

}  // namespace

TEST_CASE("a stream's kernels follow each other, and their launches") {
  KinetoText text;
  op(text, "aten::a", 1, 20);
  text.kernel("one", 7, 10, 30).kernel("two", 7, 41, 10);  // launched at 9 and at 40
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == std::vector<int64_t>{51 * kUs});
  CHECK(replay.ends(scale("one", 2)) == std::vector<int64_t>{80 * kUs});    // "two" waits for it
  CHECK(replay.ends(scale("one", 0.5)) == std::vector<int64_t>{51 * kUs});  // for its launch
  CHECK(replay.ends(scale("two", 2)) == std::vector<int64_t>{61 * kUs});
  CHECK(replay.ends(scale("t*o", 2)) == std::vector<int64_t>{61 * kUs});
  CHECK(replay.ends(scale("aten::a", 0)) == std::vector<int64_t>{42 * kUs});  // "one" begins at 2
}

TEST_CASE("a host that waits for its device goes on when that is done") {
  KinetoText text;
  text.kernel("k", 7, 10, 100);
  call(text, "cudaStreamSynchronize", 20, 95);  // returns 5 us after the kernel
  op(text, "aten::after", 120, 30);
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == std::vector<int64_t>{150 * kUs});
  CHECK(replay.ends(scale("k", 0.5)) == std::vector<int64_t>{100 * kUs});
  CHECK(replay.ends(scale("k", 2)) == std::vector<int64_t>{250 * kUs});
  CHECK(replay.ends(scale("k", 0)) == std::vector<int64_t>{(150 - 85) * kUs});  // the call takes 10 us by itself
}

TEST_CASE("a copy that its call waits for is waited for, and another is not") {
  for (const bool waits : {true, false}) {
    KinetoText text;
    text.kernel("k", 7, 10, 80);
    call(text, "cudaMemcpyAsync", 20, waits ? 85 : 5, R"("correlation": 900)");
    text.event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 0, "7", "95", "5",
               R"("stream": 7, "correlation": 900)");
    op(text, "aten::after", 120, 30);
    const Replay replay({text});
    CHECK(replay.worst() == 0);
    CHECK(replay.ends(scale("k", 2))[0] == (waits ? 230 : 180) * kUs);
  }
}

TEST_CASE("a stream that waits for an event of another waits for what was launched there") {
  KinetoText text;
  text.kernel("gemm", 7, 10, 50);
  call(text, "cudaStreamWaitEvent", 12, 1);
  text.kernel("ncclAll", 9, 61, 20);  // launched at 60
  call(text, "cudaStreamWaitEvent", 62, 1);
  text.kernel("adam", 7, 82, 10);
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends(scale("gemm", 2))[0] == 140 * kUs);
  CHECK(replay.ends(scale("ncclAll", 2))[0] == 111 * kUs);
  Edits overlap{.scalings = {{"ncclAll", 2, {}}}};
  overlap.perfect_overlap = true;
  CHECK(replay.ends(overlap)[0] == 101 * kUs);  // the end of the transfer itself
}

TEST_CASE("a thread that asks another and waits is handed over to and back") {
  KinetoText text;
  text.event("user_annotation", "ProfilerStep#1", 100, "1", "0", "300");
  text.kernel("forward", 7, 10, 5);
  text.event("cpu_op", "backward op", 100, "2", "50", "100");
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "2", "60", "2", R"("correlation": 800)");
  text.event("kernel", "backward", 0, "7", "70", "10", R"("stream": 7, "correlation": 800)");
  op(text, "aten::step", 200, 20);
  text.kernel("adam", 7, 215, 10);
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == std::vector<int64_t>{300 * kUs});
  CHECK(replay.ends(scale("backward op", 0.5))[0] == 250 * kUs);
  CHECK(replay.ends(scale("aten::step", 2))[0] == 320 * kUs);
  CHECK(replay.ends({.host_speed = 2})[0] == 150 * kUs);
}

TEST_CASE("a collective waits for the last rank, and all ranks go on then") {
  KinetoText first = ranked(0, 2), second = ranked(1, 2);
  op(first, "aten::prepare", 0, 8);
  first.kernel("ncclAll", 9, 10, 95);
  call(first, "cudaDeviceSynchronize", 20, 86);
  op(second, "aten::slow", 0, 98);
  second.kernel("ncclAll", 9, 100, 5);
  call(second, "cudaDeviceSynchronize", 102, 4);
  const Replay replay({first, second});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == std::vector<int64_t>{106 * kUs, 106 * kUs});
  CHECK(replay.ends(scale("aten::slow", 0.5, 1)) == std::vector<int64_t>{57 * kUs, 57 * kUs});
  CHECK(replay.ends(scale("aten::prepare", 0.5, 0)) == std::vector<int64_t>{106 * kUs, 106 * kUs});
  CHECK(replay.ends(scale("nccl*", 3)) == std::vector<int64_t>{116 * kUs, 116 * kUs});
  CHECK(replay.ends({.no_stragglers = true})[1] == 106 * kUs);
  CHECK(replay.ends({.no_stragglers = true})[0] < 40 * kUs);
  // Ranks that say different things of the same operators: only rank 1 has the slow one.
  CHECK(replay.ends(scale("aten::slow", 0.5, 0)) == std::vector<int64_t>{106 * kUs, 106 * kUs});
}

TEST_CASE("the critical path crosses the ranks, and its pieces add up") {
  KinetoText first = ranked(0, 2), second = ranked(1, 2);
  first.kernel("ncclAll(x)", 9, 10, 95).kernel("after", 9, 105, 10);
  op(second, "aten::slow", 0, 98);
  second.kernel("ncclAll(x)", 9, 100, 5);
  const Replay replay({first, second});
  const auto runs = run(replay.replayed.graph).value();
  const std::vector<PathPiece> path =
      path_to(replay.replayed.ends[0], replay.trace, replay.matched, replay.replayed, runs);
  std::string text;
  int64_t sum = 0;
  for (const PathPiece& piece : path) {
    text += std::to_string(piece.rank) + " " + name_of(piece.piece) + " " + std::string(piece.name) + " " +
            std::to_string(piece.seconds_ns / kUs) + "\n";
    sum += piece.seconds_ns;
  }
  CHECK(text == "1 host aten::slow 99\n1 launch ncclAll 1\n0 transfer ncclAll 5\n0 kernel after 10\n");
  CHECK(sum == 115 * kUs);
  CHECK(summed(path).front().name == "aten::slow");
}

TEST_CASE("a host that waits for several streams waits for each") {
  KinetoText text;
  text.kernel("short", 7, 10, 20).kernel("long", 9, 12, 93);
  call(text, "cudaDeviceSynchronize", 20, 86);  // returns a microsecond after the longer one
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == std::vector<int64_t>{106 * kUs});
  CHECK(replay.ends(scale("short", 2)) == std::vector<int64_t>{106 * kUs});
  CHECK(replay.ends(scale("long", 0.5)) == std::vector<int64_t>{59'500});
  CHECK(replay.ends(scale("long", 0)) == std::vector<int64_t>{31 * kUs});
}

TEST_CASE("scaling twice is scaling by the product, where patterns overlap too") {
  KinetoText text;
  op(text, "aten::mm", 0, 10);
  call(text, "c", 20, 10);
  const Replay replay({text});
  const auto twice = [&](double a, double b) {
    return replay.ends({.scalings = {{"aten::mm", a, {}}, {"aten::*", b, {}}}})[0];
  };
  CHECK(twice(0.5, 0.5) == 22'500);
  CHECK(twice(2, 2) == 60 * kUs);
  CHECK(twice(2, 0) == 20 * kUs);
}

TEST_CASE("a transfer is never negative, however clocks disagree") {
  const Replay replay({ranked(0, 2).kernel("nccl", 9, 10, 20), ranked(1, 2).kernel("nccl", 9, 40, 5)});
  for (const double factor : {0.0, 0.5, 1.0}) CHECK(replay.ends(scale("nccl", factor))[0] <= 41 * kUs);
  CHECK(replay.ends({.no_stragglers = true})[0] == 10 * kUs);  // it is over when it arrives
}

TEST_CASE("steps that overlap keep their own begins and ends") {
  KinetoText text;
  text.event("user_annotation", "ProfilerStep#1", 100, "1", "0", "100");
  text.event("user_annotation", "ProfilerStep#2", 100, "1", "50", "100");
  call(text, "c", 60, 10);
  const Replay replay({text});
  const auto runs = run(replay.replayed.graph).value();
  const std::vector<StepNodes>& steps = replay.replayed.steps[0];
  REQUIRE(steps.size() == 2);
  CHECK(runs[steps[0].begin].begin_ns == 0);
  CHECK(runs[steps[0].end].end_ns == 100 * kUs);
  CHECK(runs[steps[1].begin].begin_ns == 50 * kUs);
  CHECK(runs[steps[1].end].end_ns == 150 * kUs);
}

TEST_CASE("a thread that only asks now and then is none") {
  KinetoText text;
  op(text, "aten::a", 0, 5);
  text.kernel("k", 7, 10, 5);
  for (int i = 0; i < 3; ++i)
    text.event("cuda_runtime", "cudaEventQuery", 100, "99", std::to_string(3 + 100 * i), "1", R"("correlation": 7000)");
  CHECK(Replay({text}).ends() == std::vector<int64_t>{15 * kUs});
}

TEST_CASE("calls that wait are known by their names") {
  CHECK(role_of_call("cudaStreamWaitEvent") == CallRole::waits_event);
  CHECK(role_of_call("hipStreamSynchronize") == CallRole::sync_stream);
  CHECK(role_of_call("cudaDeviceSynchronize") == CallRole::sync_device);
  CHECK(role_of_call("cudaLaunchKernel") == CallRole::other);
}

TEST_CASE("a pattern's stars stand for any text") {
  CHECK(matches("aten::mm", "aten::mm"));
  CHECK_FALSE(matches("aten::mm", "aten::mm2"));
  CHECK(matches("*gemm*", "ampere_sgemm_128"));
  CHECK(matches("a*b*c", "aXbYbZc"));
  CHECK_FALSE(matches("a*b*c", "aXbY"));
  CHECK(matches("*", ""));
  CHECK_FALSE(matches("", "a"));
  CHECK(matches("a**", "a"));
}
