// Steps of dPRO's merged trace: each is accounted for, replays unchanged, and follows changes.
#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/trace/dpro_text.h"

using namespace planner;
using sample::Replay;

namespace {

Replay replay_of(const std::string& text) { return Replay(sample::ranks_of({text})); }

std::vector<std::string> texts() {
  return {sample::merged_byteps(3), sample::merged_horovod(3, true), sample::merged_horovod(3, false)};
}

}  // namespace

TEST_CASE("a merged trace's steps are accounted for to the nanosecond") {
  for (const std::string& text : texts()) {
    const Replay replay = replay_of(text);
    REQUIRE(!replay.trace.empty());
    for (const auto& steps : replay.steps) {
      REQUIRE(steps.size() == 3);
      CHECK(steps[1].name == "ProfilerStep#1");
      CHECK(steps[1].window.end_ns - steps[1].window.begin_ns == 1'000'000);
      for (const trace::Step& step : steps) {
        const trace::Busy& ran = step.ran;
        CHECK(ran.compute_ns + ran.communication_ns + ran.memory_ns - ran.doubled_ns + ran.idle_ns() ==
              step.window.end_ns - step.window.begin_ns);
        CHECK(ran.compute_ns > 0);
      }
    }
  }
}

TEST_CASE("without changes a merged trace replays as it was measured") {
  for (const std::string& text : texts()) CHECK(replay_of(text).worst() == 0);
}

TEST_CASE("what the last machine computes faster ends the run earlier, with servers and with all-reduces") {
  // Of Horovod the all-reduce begins when both have done BW.a: rank 1 at 410, and 30 us earlier in each step where it
  // takes 130 us less; then rank 0, at 350, is the last.
  const Replay replay = replay_of(sample::merged_horovod(3, false));
  for (const int64_t end : replay.ends({.scalings = {{"BW.a", 0.5, 1}}})) CHECK(end == (2610 - 3 * 60) * 1000);
  for (const int64_t end : replay.ends({.scalings = {{"BW.a", 0.5}}})) CHECK(end == (2610 - 3 * 130) * 1000);
  const Replay served = replay_of(sample::merged_byteps(3));
  for (const int64_t end : served.ends({.scalings = {{"BW.*", 0.5}}})) CHECK(end < 2'880'000);
}
