#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "tests/planner/schedule/pipelines.h"

using namespace pipelines;

namespace {

/// The 1F1B formula of the planner's first design: the longest of p paths, one per stage.
double longest_of_p_paths(const PipelineShape& shape) {
  const int64_t p = shape.stages, m = shape.microbatches;
  double longest = 0, before = 0, after = 0;
  for (const ChunkTime& time : shape.times) after += time.forward + time.backward;
  for (int64_t r = 0; r < p; ++r) {
    const double f = shape.times[r].forward, b = shape.times[r].backward;
    after -= f + b;
    const double w = static_cast<double>(std::min(p - 1 - r, m - 1));
    const double drain = m >= p - r ? std::max(0.0, after - w * b) : 0;
    longest = std::max(longest, before + static_cast<double>(m) * (f + b) + std::max(0.0, after - w * f) + drain);
    before += f + b;
  }
  return longest;
}

}  // namespace

TEST_CASE("every row of the table is found by its name and cites its source, and no other name is found") {
  REQUIRE(schedules().size() == 8);
  for (const ScheduleRow& row : schedules()) {
    CHECK(find_schedule(row.name) == &row);
    CHECK(std::string_view(row.summary).find("arXiv") != std::string_view::npos);
  }
  CHECK(find_schedule("1F1B") == nullptr);
  CHECK(find_schedule("") == nullptr);
}

TEST_CASE("small schedules take what one finds by hand") {
  struct Row {
    const char* schedule;
    int64_t stages, chunks, microbatches;
    std::vector<ChunkTime> times;
    double send;
    bool overlap;
    double seconds;
  };
  const std::vector<Row> rows = {
      {"gpipe", 2, 1, 2, {{1, 2}, {1, 2}}, 0, false, 9},
      {"gpipe", 2, 1, 2, {{1, 1}, {2, 4}}, 0, false, 14},
      {"gpipe", 3, 1, 4, {{1, 2}, {3, 2}, {1, 4}}, 0, false, 5 + 9 + 8 + 12},
      {"1f1b", 2, 1, 2, {{1, 2}, {1, 2}}, 0, false, 9},
      {"1f1b", 4, 1, 8, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 0, false, 33},
      {"1f1b", 4, 1, 2, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 0, false, 15},
      {"1f1b", 2, 1, 2, {{1, 1}, {2, 4}}, 0, false, 14},
      {"1f1b", 2, 1, 2, {{2, 4}, {1, 1}}, 0, false, 12},
      {"1f1b", 2, 1, 1, {{1, 2}, {1, 2}}, 0.5, false, 7},
      {"1f1b", 2, 1, 1, {{1, 2}, {1, 2}}, 0.5, true, 7},
      {"1f1b", 1, 1, 5, {{1, 2}}, 0.5, false, 15},
      {"interleaved", 2, 2, 2, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 0, true, 2 * 2 * 3 + 3},
      {"interleaved", 1, 3, 4, {{1, 2}, {1, 2}, {1, 2}}, 0.5, true, 36},
      {"zb-h1", 2, 1, 2, {{1, 1, 1}, {1, 1, 1}}, 0, false, 7},
      {"zb-h1", 2, 1, 1, {{1, 1, 1}, {1, 1, 1}}, 0.5, false, 6},
      {"zb-h1", 2, 1, 1, {{1, 1, 3}, {1, 1, 8}}, 0.5, true, 11.5},
      {"zb-v", 2, 2, 1, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, 0, false, 10},
  };
  for (const Row& row : rows) {
    const PipelineShape shape{row.stages, row.chunks, row.microbatches, row.times, row.send, row.overlap};
    CAPTURE(row.schedule);
    CAPTURE(row.seconds);
    CHECK(seconds_of(shape, row.schedule) == doctest::Approx(row.seconds).epsilon(1e-12));
    CHECK(simulate(shape, row.schedule).seconds == doctest::Approx(row.seconds).epsilon(1e-12));
  }
}

TEST_CASE("equal stages have the bubble of Narayanan et al.: (p-1)/v microbatches") {
  for (int64_t p : {2, 4, 8, 35}) {
    for (int64_t v : {1, 2, 3}) {
      for (int64_t m : {p, 4 * p, 16 * p}) {
        const double bubble = static_cast<double>(p - 1) * 3.0 / static_cast<double>(v);
        const ChunkTime chunk{1.0 / static_cast<double>(v), 2.0 / static_cast<double>(v)};
        const PipelineTime time = time_of(uniform(p, v, m, chunk), v == 1 ? "1f1b" : "interleaved");
        CHECK(time.bubble == doctest::Approx(bubble).epsilon(1e-9));
        CHECK(time.work == doctest::Approx(3.0 * static_cast<double>(m)).epsilon(1e-12));
        CHECK(time.stage == 0);
      }
    }
  }
}

TEST_CASE("an interleaved pipeline with a heavy last chunk takes m * t_last + (p-1)/v * t") {
  for (double extra : {0.1, 0.5, 1.0, 2.4}) {
    PipelineShape shape = uniform(8, 3, 64);
    shape.times.back() = {1 + extra, 2 + 2 * extra};
    CHECK(seconds_of(shape, "interleaved") == doctest::Approx(64 * (9 + 3 * extra) + 7 * 3).epsilon(1e-12));
  }
}

TEST_CASE("the time of a plan is that of the event timeline, for models as they are and for any other") {
  for (const auto& generate : {realistic_shape, wild_shape}) {
    CHECK(rc::check("closed form == timeline", [&] {
      const ScheduleRow& row = any_schedule();
      const PipelineShape shape = generate(row);
      const double expected = simulate(shape, row.name).seconds;
      RC_ASSERT(std::abs(row.time(shape).seconds - expected) <= 1e-9 * expected);
    }));
  }
}

TEST_CASE("long steps, whose steady part is not played, take what the timeline takes") {
  for (const ScheduleRow& row : schedules()) {
    for (double drift : {0.0, 1e-12, 1e-9, 1e-3, 0.3}) {
      for (double send : {0.0, 0.02}) {
        PipelineShape shape = uniform(6, chunks_of(row, 2), 1200, row.splits_backward ? kSplit : ChunkTime{1, 2});
        for (size_t i = 0; i < shape.times.size(); ++i)
          shape.times[i].forward += drift * static_cast<double>(i * 7 % 5);
        shape.send = send;
        shape.sends_overlap = true;
        CHECK(row.time(shape).seconds == doctest::Approx(simulate(shape, row.name).seconds).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE("the longest of p paths is a lower bound of 1F1B, at most 1 % below it for realistic stages") {
  CHECK(rc::check("path formula", [] {
    PipelineShape shape = realistic_shape(*find_schedule("1f1b"));
    shape.send = 0;
    for (ChunkTime& time : shape.times) time.forward *= percent(100, 105);
    const double exact = seconds_of(shape, "1f1b"), paths = longest_of_p_paths(shape);
    RC_ASSERT(paths <= exact * (1 + 1e-12));
    RC_ASSERT(paths >= exact * 0.99);
  }));
}

TEST_CASE("work, send and bubble are the step, and none is negative") {
  CHECK(rc::check("conservation", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = wild_shape(row);
    const PipelineTime time = row.time(shape);
    RC_ASSERT(time.seconds == time.work + time.send + time.bubble);
    RC_ASSERT(std::min({time.work, time.send, time.bubble}) >= 0);
    if (shape.stages == 1) RC_ASSERT(time.send == 0 && time.bubble == 0);
    double played = 0;
    for (const Event& event : on_stage(simulate(shape, row.name), time.stage)) played += event.end - event.start;
    RC_ASSERT(std::abs(played - time.work) <= 1e-9 * time.seconds);
  }));
}

TEST_CASE("the stage reported is the one that finishes last") {
  CHECK(rc::check("last stage", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = wild_shape(row);
    const Timeline timeline = simulate(shape, row.name);
    RC_ASSERT(std::abs(on_stage(timeline, row.time(shape).stage).back().end - timeline.seconds) <=
              1e-12 * timeline.seconds);
  }));
}

TEST_CASE("no slower chunk, slower send or further microbatch makes a step faster") {
  CHECK(rc::check("monotone", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = *rc::gen::arbitrary<bool>() ? wild_shape(row) : realistic_shape(row);
    const double limit = row.time(shape).seconds * (1 - 1e-11);
    PipelineShape slower = shape;
    ChunkTime& chunk = slower.times[*rc::gen::inRange<size_t>(0, shape.times.size())];
    double ChunkTime::*const slowed =
        *rc::gen::element(&ChunkTime::forward, &ChunkTime::backward, &ChunkTime::weight_gradient);
    if (row.splits_backward || slowed != &ChunkTime::weight_gradient) chunk.*slowed += percent(0, 50);
    RC_ASSERT(row.time(slower).seconds >= limit);
    PipelineShape slow_sends = shape;
    slow_sends.send += percent(0, 50);
    RC_ASSERT(row.time(slow_sends).seconds >= limit);
    PipelineShape longer = shape;
    longer.microbatches += shape.stages;
    RC_ASSERT(row.time(longer).seconds >= limit);
  }));
}

TEST_CASE("a send that overlaps costs no more than one that blocks, nor less than none") {
  CHECK(rc::check("sends", [] {
    const ScheduleRow& row = any_schedule();
    PipelineShape shape = realistic_shape(row);
    shape.sends_overlap = false;
    const double blocking = row.time(shape).seconds;
    shape.sends_overlap = true;
    const double overlapped = row.time(shape).seconds;
    shape.send = 0;
    RC_ASSERT(overlapped <= blocking * (1 + 1e-12));
    RC_ASSERT(row.time(shape).seconds <= overlapped * (1 + 1e-12));
  }));
}

TEST_CASE("sends add what docs/models-schedule.md says, blocking ones within 1 % of the step") {
  for (double p : {3, 4, 8, 16}) {
    for (double v : {1, 2, 4}) {
      for (double groups : {1, 4, 16}) {
        const double m = groups * p, c = 0.03;
        PipelineShape shape = uniform(static_cast<int64_t>(p), static_cast<int64_t>(v), static_cast<int64_t>(m));
        shape.send = c;
        const char* schedule = v == 1 ? "1f1b" : "interleaved";
        const PipelineTime blocking = time_of(shape, schedule);
        CHECK(std::abs(blocking.send - 2 * v * m * c) <= 0.01 * blocking.seconds);
        if (v == 1) CHECK(std::abs(blocking.send - (2 * m + 2 * p - 5) * c) <= 1e-9 * blocking.seconds);
        shape.sends_overlap = true;
        const PipelineTime overlapped = time_of(shape, schedule);
        const double expected = v == 1 ? 2 * c * ((p - 1) * (p + m) / p - 1) : 2 * c * (p * v - 1);
        CHECK(std::abs(overlapped.send - expected) <= 1e-9 * overlapped.seconds);
      }
    }
  }
}

TEST_CASE("the timeline runs every chunk of every microbatch once, forward and backward, one at a time per stage") {
  CHECK(rc::check("exclusive stages", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = wild_shape(row);
    const Timeline timeline = simulate(shape, row.name);
    const size_t expected =
        (row.splits_backward ? 3 : 2) * shape.times.size() * static_cast<size_t>(shape.microbatches);
    RC_ASSERT(timeline.events.size() == expected);
    RC_ASSERT(by_key(timeline, row.order, shape.stages).size() == expected);
    for (int64_t r = 0; r < shape.stages; ++r) {
      double free = 0;
      for (const Event& event : on_stage(timeline, r)) {
        RC_ASSERT(event.start >= free);
        free = event.end;
      }
    }
  }));
}

TEST_CASE("the timeline starts nothing before its input has been sent") {
  CHECK(rc::check("dependencies", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = wild_shape(row);
    const int64_t parts = shape.stages * shape.chunks;
    const auto events = by_key(simulate(shape, row.name), row.order, shape.stages);
    for (const auto& [key, event] : events) {
      const auto [part, microbatch, work] = key;
      if (work == Work::backward) RC_ASSERT(event.start >= events.at({part, microbatch, Work::forward}).end);
      if (work == Work::weight_gradient) {
        RC_ASSERT(event.start >= events.at({part, microbatch, Work::backward}).end);
        continue;
      }
      const int64_t source = work == Work::backward ? part + 1 : part - 1;
      if (source < 0 || source >= parts) continue;
      const Event& before = events.at({source, microbatch, work});
      RC_ASSERT(event.start >= before.end + (before.stage == event.stage ? 0 : shape.send) - 1e-12);
    }
  }));
}

TEST_CASE("the peak in flight on every stage of the timeline is in_flight()") {
  CHECK(rc::check("in flight", [] {
    const ScheduleRow& row = any_schedule();
    const PipelineShape shape = wild_shape(row);
    const Timeline timeline = simulate(shape, row.name);
    for (int64_t r = 0; r < shape.stages; ++r) {
      const double limit = row.in_flight(r, shape.stages, shape.chunks, shape.microbatches);
      const auto to_weights = row.in_flight_to_weights ? row.in_flight_to_weights : row.in_flight;
      const double later = to_weights(r, shape.stages, shape.chunks, shape.microbatches);
      const std::vector<Event> events = on_stage(timeline, r);
      RC_ASSERT(static_cast<double>(peak_in_flight(events, Work::backward)) == limit);
      if (row.splits_backward) RC_ASSERT(static_cast<double>(peak_in_flight(events, Work::weight_gradient)) == later);
    }
  }));
}

TEST_CASE("in flight, by stage") {
  const auto in_flight = [](const char* name, int64_t r, int64_t p, int64_t v, int64_t m) {
    return find_schedule(name)->in_flight(r, p, v, m);
  };
  CHECK(in_flight("gpipe", 0, 4, 1, 16) == 16);
  CHECK(in_flight("1f1b", 0, 4, 1, 16) == 4);
  CHECK(in_flight("1f1b", 3, 4, 1, 16) == 1);
  CHECK(in_flight("1f1b", 0, 8, 1, 2) == 2);
  CHECK(in_flight("interleaved", 0, 4, 2, 16) == 11);
  CHECK(in_flight("interleaved", 3, 4, 2, 16) == 5);
  CHECK(in_flight("interleaved", 0, 4, 2, 4) == 8);
}

TEST_CASE("a last group of microbatches that is not full is timed as a full one, and shows only its own events") {
  for (int64_t m : {1, 3, 5, 7, 9}) {
    const PipelineShape shape = uniform(4, 3, m);
    const PipelineTime full = time_of(uniform(4, 3, (m + 3) / 4 * 4), "interleaved");
    const PipelineTime time = time_of(shape, "interleaved");
    CHECK(time.seconds == doctest::Approx(full.seconds));
    CHECK(time.work == doctest::Approx(static_cast<double>(m) * 9));
    CHECK(simulate(shape, "interleaved").seconds <= time.seconds * (1 + 1e-12));
    CHECK(simulate(shape, "interleaved").events.size() == static_cast<size_t>(2 * 4 * 3 * m));
  }
}

TEST_CASE("steps that take no time are no trouble") {
  for (const ScheduleRow& row : schedules()) {
    const PipelineShape shape = uniform(4, chunks_of(row, 1), 64, {0, 0});
    CHECK(row.time(shape).seconds == 0);
    CHECK(simulate(shape, row.name).seconds == 0);
  }
}
