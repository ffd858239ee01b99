// Steps of dPRO's merged trace: each is accounted for, replays as it was, and follows what is changed.
#include <doctest/doctest.h>

#include <numeric>

#include "planner/replay/measured.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/trace/dpro_text.h"

using namespace planner;

TEST_CASE("a merged trace's steps are accounted for to the nanosecond") {
  for (const std::string& text :
       {sample::merged_byteps(3), sample::merged_horovod(3, true), sample::merged_horovod(3, false)}) {
    const trace::Trace trace = sample::ranks_of({text});
    REQUIRE(!trace.empty());
    for (const trace::RankTrace& rank : trace) {
      const auto steps = trace::steps_of(rank);
      REQUIRE(steps.size() == 3);
      CHECK(steps[1].name == "ProfilerStep#1");
      CHECK(steps[1].window.end_ns - steps[1].window.begin_ns == 1'000'000);
      for (const trace::Step& step : steps) {
        const trace::Busy& ran = step.ran;
        CHECK(ran.compute_ns + ran.communication_ns + ran.memory_ns - ran.doubled_ns + ran.idle_ns() ==
              step.window.end_ns - step.window.begin_ns);
      }
    }
  }
}
