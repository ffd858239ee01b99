// Rings of ranks whose steps are known in closed form: the slowest rank sets the pace, and what the others do not need
// for themselves they wait.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::Replay;

namespace {

constexpr int64_t kTransfer = 7;

/// Rank r computes compute[r] us, then all exchange, for `rounds` rounds; each launches a round when the last one is
/// done.
std::vector<KinetoText> ring(const std::vector<int64_t>& compute, int rounds) {
  const int64_t slowest = *std::ranges::max_element(compute);
  std::vector<KinetoText> ranks;
  for (size_t r = 0; r < compute.size(); ++r) {
    KinetoText text(R"("distributedInfo": {"rank": )" + std::to_string(r) + R"(, "world_size": )" +
                    std::to_string(compute.size()) + "}, ");
    int64_t at = 10;
    for (int round = 0; round < rounds; ++round) {
      text.kernel("gemm", 7, at, compute[r]);
      const int64_t arrives = at + compute[r] + 2, ends = at + slowest + 2 + kTransfer;
      // Launched behind the kernel, of which the host does not wait for the end.
      const std::string same = R"("correlation": )" + std::to_string(9000 + round);
      text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(at + 1), "1", same);
      text.event("kernel", "ncclAll", 0, "7", std::to_string(arrives), std::to_string(ends - arrives),
                 same + R"(, "stream": 7)");
      text.event("cuda_runtime", "cudaStreamSynchronize", 100, "1", std::to_string(at + 3),
                 std::to_string(ends + 1 - at - 3));
      at = ends + 4;
    }
    ranks.push_back(text);
  }
  return ranks;
}

/// When all rounds are over, where the slowest rank computes so long and a transfer takes so long.
int64_t end_of(double slowest_us, double transfer_us, int rounds) {
  const double round = slowest_us + 2 + transfer_us + 4;
  return static_cast<int64_t>((10 + rounds * round - 4 + 1) * 1000);
}

}  // namespace

TEST_CASE("a ring is as fast as its slowest rank") {
  for (const int rounds : {1, 3, 10}) {
    const Replay replay(ring({20, 50, 35, 50}, rounds));
    CHECK(replay.worst() == 0);
    CHECK(replay.matched.collectives.size() == static_cast<size_t>(rounds));
    for (const int64_t end : replay.ends()) CHECK(end == end_of(50, kTransfer, rounds));
    // Without the two slow ones' delay the third is the slowest.
    const Edits faster{.scalings = {{"gemm", 0.6, 1}, {"gemm", 0.6, 3}}};
    for (const int64_t end : replay.ends(faster)) CHECK(end == end_of(35, kTransfer, rounds));
    const Edits one{.scalings = {{"gemm", 0.6, 1}}};  // the other one still is as slow
    for (const int64_t end : replay.ends(one)) CHECK(end == end_of(50, kTransfer, rounds));
    const Edits slower{.scalings = {{"ncclAll", 2, {}}}};
    for (const int64_t end : replay.ends(slower)) CHECK(end == end_of(50, 2 * kTransfer, rounds));
  }
}

TEST_CASE("who waits in a ring waits for the slowest, for the difference") {
  const Replay replay(ring({20, 50, 35}, 4));
  const auto waits = planner::trace::waits_of(replay.trace, replay.matched);
  CHECK(waits[0] == std::vector<int64_t>{0, 4 * 30 * kUs, 0});
  CHECK(waits[1] == std::vector<int64_t>{0, 0, 0});
  CHECK(waits[2] == std::vector<int64_t>{0, 4 * 15 * kUs, 0});
  for (const planner::trace::Collective& collective : replay.matched.collectives)
    CHECK(collective.transfer_ns == kTransfer * kUs);
}

TEST_CASE("the critical path of a ring goes through its slowest rank alone") {
  const Replay replay(ring({20, 50, 35}, 4));
  const auto runs = run(replay.replayed.graph).value();
  int64_t computed = 0, transferred = 0;
  for (const PathPiece& piece : path_to(replay.replayed.ends[0], replay.trace, replay.matched, replay.replayed, runs)) {
    if (piece.name == "gemm") computed += piece.piece == Piece::kernel ? piece.seconds_ns : 0;
    if (piece.piece == Piece::kernel) CHECK(piece.rank == 1);
    if (piece.piece == Piece::transfer) transferred += piece.seconds_ns;
  }
  CHECK(computed == 4 * 50 * kUs);
  CHECK(transferred == 4 * kTransfer * kUs);
}
