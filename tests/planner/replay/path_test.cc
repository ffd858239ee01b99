// Pieces of critical paths: hosts that wait for devices, streams, and the longest pieces.
#include "planner/replay/path.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::Replay;

namespace {

std::vector<PathPiece> path(const Replay& replay) {
  const auto runs = run(replay.replayed.graph).value();
  return path_to(replay.replayed.ends[0], replay.trace, replay.matched, replay.replayed, runs);
}

std::string text(const std::vector<PathPiece>& pieces) {
  std::string out;
  for (const PathPiece& piece : pieces)
    out += std::string(name_of(piece.piece)) + " " + std::string(piece.name) + " " +
           std::to_string(piece.seconds_ns / kUs) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a path goes through the kernel that a host waited for, and back to the host") {
  KinetoText trace;
  trace.event("cpu_op", "aten::a", 100, "1", "0", "12");
  trace.kernel("long(int)", 7, 10, 100);
  trace.event("cuda_runtime", "cudaStreamSynchronize", 100, "1", "20", "95");
  trace.event("cpu_op", "aten::item", 100, "1", "115", "30");
  const Replay replay({trace});
  CHECK(text(path(replay)) ==
        "host aten::a 9\nlaunch long 1\nkernel long 100\nsync cudaStreamSynchronize 5\nhost aten::item 30\n");
}

TEST_CASE("gaps of a stream are pieces of their own, and pieces of one name are summed") {
  KinetoText trace;
  for (int i = 0; i < 3; ++i) {
    const std::string same = R"("correlation": )" + std::to_string(700 + i);
    trace.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(2 * i), "1", same);
    trace.event("kernel", i < 2 ? "gemm" : "adam", 0, "7", std::to_string(50 + 42 * i), "40",
                same + R"(, "stream": 7)");
  }
  const Replay replay({trace});
  CHECK(text(summed(path(replay))).starts_with("kernel gemm 80\n"));
  int64_t sum = 0, at = path(replay).front().begin_ns;
  for (const PathPiece& piece : path(replay)) {
    CHECK(piece.begin_ns == at);
    at += piece.seconds_ns;
    sum += piece.seconds_ns;
  }
  CHECK(sum == 174 * kUs);
}
