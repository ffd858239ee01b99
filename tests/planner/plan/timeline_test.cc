// The pipeline of a plan played event by event, against the plan.
#include "planner/plan/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tests/planner/sample.h"

namespace {

using planner::Scenario;
using planner::Timeline;

const std::vector<std::string> kLayouts = {
    "{tp: 1, pp: 1, microbatch: 2}",
    "{tp: 2, pp: 2, microbatch: 1}",
    "{tp: 1, pp: 4, microbatch: 2}",
    "{tp: 1, pp: 8, microbatch: 1}",
    "{tp: 2, pp: 4, microbatch: 4, schedule: gpipe}",
    "{tp: 2, pp: 2, microbatch: 1, schedule: interleaved, interleave: 2}",
};

Scenario laid_out(const std::string& layout) { return sample::gpt({"parallelism=" + layout}); }

int64_t microbatches(const Scenario& s) { return s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch); }

}  // namespace

TEST_CASE("a stage works on one event at a time") {
  for (const std::string& layout : kLayouts) {
    CAPTURE(layout);
    std::map<int64_t, double> free;
    double end = 0;
    const Timeline timeline = planner::make_timeline(laid_out(layout));
    REQUIRE(!timeline.events.empty());
    for (const planner::Event& event : timeline.events) {
      CHECK(event.end > event.start);
      CHECK(event.start >= free[event.stage] - 1e-12);
      free[event.stage] = event.end;
      end = std::max(end, event.end);
    }
    CHECK(end <= timeline.seconds);
    CHECK(sample::near(end, timeline.seconds, 1e-2));
  }
}

TEST_CASE("each stage passes each microbatch forward and backward once per chunk") {
  for (const std::string& layout : kLayouts) {
    CAPTURE(layout);
    const Scenario s = laid_out(layout);
    std::set<std::tuple<int64_t, int64_t, int64_t, planner::Work>> seen;
    const Timeline timeline = planner::make_timeline(s);
    for (const planner::Event& event : timeline.events)
      CHECK(seen.insert({event.stage, event.chunk, event.microbatch, event.work}).second);
    const int64_t expected = 2 * microbatches(s) * s.parallelism.pp * s.parallelism.interleave;
    CHECK(static_cast<int64_t>(timeline.events.size()) == expected);
  }
}

TEST_CASE("the timeline ends where the plan's step does, but for what happens once a step") {
  for (const std::string& layout : kLayouts) {
    CAPTURE(layout);
    const Scenario s = laid_out(layout);
    const planner::Plan plan = sample::plan(s);
    const double seconds = planner::make_timeline(s).seconds;
    CHECK(seconds < plan.step->seconds);
    CHECK(seconds > 0.7 * plan.step->seconds);
  }
}

TEST_CASE("a layout that is impossible has no events") {
  for (const char* layout : {"{tp: 3}", "{tp: 1, pp: 16, dp: 1}", "{tp: 2, pp: 2, dp: 1}", "{microbatch: 7}"}) {
    CAPTURE(std::string(layout));
    const Scenario s = laid_out(layout);
    REQUIRE(planner::broken_layout_rule(s));
    const Timeline timeline = planner::make_timeline(s);
    CHECK(timeline.events.empty());
    CHECK(timeline.seconds == 0);
  }
}

TEST_CASE("the events of a timeline are counted without playing it") {
  for (const std::string& layout : kLayouts) {
    const Scenario s = laid_out(layout);
    CHECK(planner::timeline_events(s) == static_cast<double>(planner::make_timeline(s).events.size()));
  }
  CHECK(planner::timeline_events(laid_out("{tp: 3}")) == 0);
}
