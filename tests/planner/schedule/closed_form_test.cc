// The closed forms of a step against the recurrences, which hold for any pipeline.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "planner/schedule/costs.h"
#include "tests/planner/schedule/pipelines.h"

using namespace pipelines;
using planner::interleaved_by_paths;
using planner::interleaved_by_waves;
using planner::one_f_one_b_by_laps;
using planner::one_f_one_b_by_runs;
using planner::PipelineProfile;
using planner::PipelineTraffic;

namespace {

bool equal(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(a, b); }

ChunkTime any_chunk(int low, int high) { return {percent(low, high), percent(low, 2 * high)}; }

/// Stages in runs of equal ones.
PipelineProfile any_runs() {
  const int64_t stages = *rc::gen::inRange(2, 14);
  PipelineProfile profile;
  profile.reset(stages, 1);
  for (int64_t left = stages; left > 0;) {
    const int64_t run = *rc::gen::inRange<int64_t>(1, left + 1);
    profile.add(run, any_chunk(0, 200));
    left -= run;
  }
  return profile;
}

/// Equal parts of 1 and `backward` but for the first and the last, whose times are these, or more or less by some per
/// cent.
PipelineProfile with_ends(int64_t stages, int64_t chunks, double backward, const ChunkTime& first,
                          const ChunkTime& last) {
  PipelineProfile profile;
  profile.reset(stages, chunks);
  profile.add(1, first);
  profile.add(stages * chunks - 2, {1, backward});
  profile.add(1, last);
  return profile;
}

struct Pipeline {
  PipelineProfile profile;
  PipelineTraffic traffic;
};
Pipeline any_ends() {
  const int64_t stages = *rc::gen::inRange(2, 8), groups = *rc::gen::inRange(1, 6);
  const double backward = percent(20, 320), excess = percent(0, 30), head = percent(0, 100);
  const ChunkTime light{percent(60, 100), backward * percent(60, 100)};
  const ChunkTime heavy{1 + excess * percent(0, 30), backward + excess * percent(0, 30)};
  const double less = *rc::gen::element(0.0, 0.3);
  const ChunkTime last{1 + head - less * percent(0, 100), backward + 2 * head - less * backward * percent(0, 100)};
  return {with_ends(stages, *rc::gen::inRange(2, 5), backward, *rc::gen::arbitrary<bool>() ? light : heavy, last),
          {stages * groups, *rc::gen::element(0.0, percent(0, 30), percent(0, 250)), *rc::gen::arbitrary<bool>()}};
}

}  // namespace

TEST_CASE("1F1B by runs of equal stages takes what the recurrence takes, also with fewer microbatches than stages") {
  CHECK(rc::check("runs == laps", [] {
    const PipelineProfile profile = any_runs();
    const PipelineTraffic traffic{*rc::gen::inRange(1, 40), *rc::gen::element(0.0, percent(0, 100))};
    RC_ASSERT(equal(one_f_one_b_by_runs(profile, traffic), one_f_one_b_by_laps(profile, traffic)));
  }));
}

TEST_CASE("where the paths of an interleaved pipeline give its step, it is what the recurrence gives") {
  CHECK(rc::check("paths == waves", [] {
    for (int i = 0; i < 10; ++i) {
      const auto [profile, traffic] = any_ends();
      const auto seconds = interleaved_by_paths(profile, traffic);
      if (seconds) RC_ASSERT(equal(*seconds, interleaved_by_waves(profile, traffic)));
    }
  }));
}

TEST_CASE("the paths give the step of every pipeline with head and embedding whose sends take no longer than a pass") {
  for (int64_t p : {3, 4, 16}) {
    for (double backward : {2.0, 3.0}) {
      for (double head : {0.0, 0.05, 0.2, 1.0}) {
        for (double send : {0.0, 0.02, 0.4, 1.0}) {
          const double embedding = std::min(0.02, head / 3);
          const PipelineProfile profile =
              with_ends(p, 3, backward, {1 + embedding, backward + embedding}, {1 + head, backward + 2 * head});
          for (bool overlap : {false, true}) {
            CAPTURE(send);
            const PipelineTraffic traffic{4 * p, send, overlap};
            const auto seconds = interleaved_by_paths(profile, traffic);
            REQUIRE(seconds);
            CHECK(equal(*seconds, interleaved_by_waves(profile, traffic)));
          }
        }
      }
    }
  }
}

TEST_CASE("the paths give nothing for other pipelines") {
  const ChunkTime chunk{1, 2}, other{1.5, 2};
  PipelineProfile profile;
  profile.reset(4, 2);
  profile.add(1, chunk);
  profile.add(1, other);
  profile.add(6, chunk);
  CHECK(!interleaved_by_paths(profile, {8}));
  profile.reset(4, 2);
  profile.add(2, chunk);
  profile.add(6, other);
  CHECK(!interleaved_by_paths(profile, {8}));
  profile.reset(4, 1);
  profile.add(4, chunk);
  CHECK(!interleaved_by_paths(profile, {8}));
}

TEST_CASE("a first part heavier than all others, and slow sends to and fro, are left to the recurrence") {
  CHECK(!interleaved_by_paths(with_ends(4, 3, 2, {1.5, 3}, {1, 2}), {16}));
  CHECK(!interleaved_by_paths(with_ends(4, 3, 2, {1, 2}, {1.2, 2.4}), {16, 2.5, true}));
}

TEST_CASE("a profile takes the same time as its shape, to the last bit, and keeps nothing of the one before") {
  PipelineProfile kept;
  CHECK(rc::check("profile == shape", [&] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = *rc::gen::arbitrary<bool>() ? wild_shape(row) : realistic_shape(row);
    kept.reset(shape.stages, shape.chunks);
    for (const ChunkTime& time : shape.times) kept.add(1, time);
    const PipelineTime a = row.time_profile(kept, {shape.microbatches, shape.send, shape.sends_overlap});
    const PipelineTime b = row.time(shape);
    RC_ASSERT(a.seconds == b.seconds);
    RC_ASSERT(std::tie(a.stage, a.work, a.send, a.bubble) == std::tie(b.stage, b.work, b.send, b.bubble));
  }));
}

TEST_CASE("a profile is runs of equal parts, however they are added") {
  PipelineProfile profile;
  profile.reset(3, 2);
  profile.add(2, {1, 2});
  profile.add(0, {5, 5});
  profile.add(3, {1, 2});
  profile.add(1, {1, 3});
  REQUIRE(profile.runs().size() == 2);
  CHECK(profile.runs()[0].count == 5);
  CHECK(profile.at(4) == ChunkTime{1, 2});
  CHECK(profile.at(5) == ChunkTime{1, 3});
}
