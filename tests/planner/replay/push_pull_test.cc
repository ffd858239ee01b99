// Parameter servers in the graph: a PULL ends a transfer after the last PUSH of its round, and what-ifs follow.
#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/byteps_text.h"

using namespace planner::replay;
using sample::Replay;
using sample::ServerText;
using sample::WorkerText;
using Ends = std::vector<int64_t>;

namespace {

constexpr int64_t kUs = 1000;

Ends us(std::initializer_list<int64_t> microseconds) {
  Ends ends;
  for (const int64_t each : microseconds) ends.push_back(each * kUs);
  return ends;
}

/// Two rounds of three workers. In both rank 1 is the last; rank 2 asks late in the first. Each goes on 50 us after its
/// PULL, rank 1 after 100.
Replay two_rounds() {
  WorkerText first, last, asks;
  first.round("t", 7, 100, 110, 120, 260).round("t", 7, 310, 320, 330, 430);
  last.round("t", 7, 200, 240, 245, 270).round("t", 7, 370, 410, 415, 440);
  asks.round("t", 7, 130, 150, 250, 265).round("t", 7, 315, 335, 340, 425);
  return Replay(sample::ranks_of({first.text(), last.text(), asks.text()}));
}

}  // namespace

TEST_CASE("a replay of PUSH and PULL is what was measured") {
  const Replay replay = two_rounds();
  CHECK(replay.worst() == 0);
  CHECK(replay.ends() == us({430, 440, 425}));
  CHECK(replay.replayed.transfers.size() == 6);
}

TEST_CASE("a faster PUSH of the last worker lets all PULLs end earlier") {
  const Replay replay = two_rounds();
  const auto ends = [&](const Scaling& scaling) { return replay.ends({.scalings = {scaling}}); };
  // Rank 1 pushes in 20 us for 40. Round 1: its PUSH ends at 220, all others had. PULLs: 0 at 220 + 20; 1 begins at 225
  // and takes 25: 250; 2 asks at 250 as before, and ends at 265. Round 2: rank 1's PUSH begins at 350, ends at 370,
  // PULLs 0: 370 + 20, 1: 375 + 25, 2: 370 + 15.
  CHECK(ends({"*.PUSH", 0.5, 1}) == us({390, 400, 385}));
  // A slow PUSH of rank 0: of 300 us, to 400; PULLs 420, 410 + 25 - 5 ...
  const Ends slow = ends({"*.PUSH", 30, 0});
  for (const int64_t end : slow) CHECK(end > 440 * kUs);
  // A PULL is of its own rank: 20 us of transfer in each round become 40, and the second round of rank 0 begins later.
  CHECK(ends({"*.PULL", 2, 0}) == us({450, 440, 425}));
  CHECK(ends({"*.PULL", 1, 0}) == us({430, 440, 425}));
}

TEST_CASE("without stragglers a PULL takes its transfer alone") {
  const Replay replay = two_rounds();
  // Rank 0: 120 + 20, 50 us on PUSH 190 to 200, PULL 210 + 20. Rank 1 never waited: 440. Rank 2: 265, and 315 to 335,
  // PULL 340 + 15.
  CHECK(replay.ends({.no_stragglers = true}) == us({230, 440, 355}));
}

TEST_CASE("a PUSH that is left out is waited for by nobody; a PULL is not asked for") {
  const Replay replay = two_rounds();
  const Scaling push{.pattern = "*.PUSH", .factor = 0, .rank = 1, .removes = true};
  // The others wait for rank 2's PUSH, which ends at 150: rank 0's PULL ends at 170, its next PUSH is 220 to 230, its
  // PULL asks at 240. Rank 2: 250 + 15, PUSH 315 to 335, PULL 340 + 15. Rank 0 then waits until 335: 355.
  const Ends without = replay.ends({.scalings = {push}});
  CHECK(without[0] == 355 * kUs);
  CHECK(without[2] == 355 * kUs);
  const Scaling pull{.pattern = "*.PULL", .factor = 0, .rank = 0, .removes = true};
  // Rank 0 goes on at once: PUSH 170 to 180, PULL at 190, which takes nothing. The others wait for rank 1 as before.
  CHECK(replay.ends({.scalings = {pull}}) == us({190, 440, 425}));
}

TEST_CASE("the critical path goes through the PUSH of the worker that all waited for") {
  const Replay replay = two_rounds();
  const auto runs = run(replay.replayed.graph).value();
  std::string path;
  int64_t sum = 0;
  for (const PathPiece& piece : path_to(replay.replayed.ends[0], replay.trace, replay.matched, replay.replayed, runs)) {
    path += fmt::format("{} {} {} {}; ", piece.rank, name_of(piece.piece), piece.name, piece.seconds_ns / kUs);
    sum += piece.seconds_ns;
  }
  CHECK(path ==
        "1 transfer Comm.t.PUSH 40; 1 gap Comm.t.PULL 5; 1 transfer Comm.t.PULL 25; 1 gap Comm.t.PUSH 100; "
        "1 transfer Comm.t.PUSH 40; 0 transfer Comm.t.PULL 20; ");
  CHECK(sum == 230 * kUs);
}

TEST_CASE("a PULL that begins before the server has noted its PUSH, or ends before the last, is as it was measured") {
  ServerText text;
  text.push(9, 7, 100, 110).push(11, 7, 200, 240).pull(9, 7, 105, 236).pull(11, 7, 238, 270);
  text.push(9, 7, 300, 310).push(11, 7, 300, 305).pull(11, 7, 306, 330).pull(9, 7, 312, 330);
  const Replay replay(sample::ranks_of({text.text()}));
  CHECK(replay.worst() == 0);
  CHECK(replay.matched.notes.empty());
  CHECK(replay.matched.collectives[0].parts[0].wait_ns == 131 * kUs);  // all of it
}
