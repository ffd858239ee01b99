// Schedules that split the backward pass: bubbles and activations as published, and the programs themselves.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "planner/schedule/program.h"
#include "tests/planner/schedule/pipelines.h"

using namespace pipelines;
using planner::Operation;
using planner::StageProgram;

namespace {

/// Seconds of a forward, an input gradient and a weight gradient of any chunk.
ChunkTime any_times() { return {percent(20, 200), percent(20, 200), percent(20, 200)}; }

double bubble_of(const PipelineShape& shape, const char* schedule) {
  const double played = simulate(shape, schedule).seconds, planned = seconds_of(shape, schedule);
  CHECK(planned == doctest::Approx(played).epsilon(1e-12));
  const ChunkTime& each = shape.times.front();
  const double once = each.forward + each.backward + each.weight_gradient;
  return played - static_cast<double>(shape.microbatches * shape.chunks) * once;
}

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9; }

double peak_chunks(const char* schedule, int64_t stages, int64_t microbatches) {
  const ScheduleRow& row = *find_schedule(schedule);
  const auto peak_of = row.in_flight_to_weights ? row.in_flight_to_weights : row.in_flight;
  double peak = 0;
  for (int64_t r = 0; r < stages; ++r) peak = std::max(peak, peak_of(r, stages, row.chunks, microbatches));
  return peak;
}

/// The makespan without sends by brute force: the ends of all operations, raised until every rule holds.
double relaxed(const PipelineShape& shape, const ScheduleRow& row) {
  std::map<Key, double> ends;
  bool changed = true;
  const auto end_of = [&](int64_t part, int64_t microbatch, Work work) { return ends[{part, microbatch, work}]; };
  const int64_t last = shape.stages * shape.chunks - 1;
  const auto input = [&](int64_t part, int64_t microbatch, Work work) {
    if (work == Work::weight_gradient) return 0.0;  // the list has it after its backward
    if (work == Work::forward) return part > 0 ? end_of(part - 1, microbatch, work) : 0.0;
    return part < last ? end_of(part + 1, microbatch, work) : end_of(part, microbatch, Work::forward);
  };
  while (changed) {
    changed = false;
    for (int64_t r = 0; r < shape.stages; ++r) {
      double free = 0, start = 0, held = 0;
      std::vector<Key> step;
      for_each(row.program(r, shape.stages), shape.microbatches, [&](const Operation& each, int64_t microbatch) {
        const int64_t part = part_at(row.order, each.chunk, r, shape.stages);
        step.push_back({part, microbatch, each.work});
        start = std::max({start, free, input(part, microbatch, each.work)});
        held += seconds_of(shape.times[static_cast<size_t>(part)], each.work);
        if (each.joined) return;
        free = start + held;
        for (const Key& key : step) changed = std::exchange(ends[key], free) != free || changed;
        step.clear();
        start = held = 0;
      });
    }
  }
  double makespan = 0;
  for (const auto& [key, end] : ends) makespan = std::max(makespan, end);
  return makespan;
}

std::vector<const ScheduleRow*> split_rows() {
  std::vector<const ScheduleRow*> rows;
  for (const ScheduleRow& row : schedules())
    if (row.splits_backward) rows.push_back(&row);
  return rows;
}

}  // namespace

TEST_CASE("zb-h1 has the bubble of its paper, (p-1)(F + B - W), where W is at most F and B") {
  CHECK(rc::check("zb-h1", [] {
    ChunkTime time = any_times();
    time.weight_gradient = std::min({time.forward, time.backward, time.weight_gradient});
    const int64_t p = *rc::gen::inRange(2, 12), m = p + *rc::gen::inRange(0, 40);
    const double paper = static_cast<double>(p - 1) * (time.forward + time.backward - time.weight_gradient);
    RC_ASSERT(equal(bubble_of(uniform(p, 1, m, time), "zb-h1"), paper));
  }));
}

TEST_CASE("zb-h1 with longer weight gradients: the first microbatch's forwards or backwards are left") {
  CHECK(rc::check("zb-h1, any W", [] {
    const auto [f, b, w] = any_times();
    const int64_t p = *rc::gen::inRange(2, 12), m = p + *rc::gen::inRange(0, 40);
    const double expected = static_cast<double>(p - 1) * std::max({f + b - w, f, b});
    RC_ASSERT(equal(bubble_of(uniform(p, 1, m, {f, b, w}), "zb-h1"), expected));
  }));
}

TEST_CASE("on no stage of zb-v is there a gap if F = B = W: the bubble is that each starts after the one before") {
  for (int64_t p : {1, 2, 3, 8, 13}) {
    for (int64_t m : {2 * p, 5 * p}) {
      const PipelineShape shape = uniform(p, 2, m, {1, 1, 1});
      CHECK(equal(bubble_of(shape, "zb-v"), static_cast<double>(p - 1)));
      const Timeline timeline = simulate(shape, "zb-v");
      for (int64_t r = 0; r < p; ++r) {
        const std::vector<Event> events = on_stage(timeline, r);
        CHECK(events.front().start == doctest::Approx(static_cast<double>(r)));
        CHECK(events.back().end - events.front().start == doctest::Approx(static_cast<double>(6 * m)));
      }
    }
  }
}

TEST_CASE("the building blocks have the bubbles that follow from their slots if F = B = W") {
  for (int64_t p = 2; p <= 17; ++p) {
    for (int64_t m : {2 * p, 6 * p}) {
      const PipelineShape shape = uniform(p, 2, m, {1, 1, 1});
      CAPTURE(p);
      CHECK(equal(bubble_of(shape, "v-half"),
                  p % 2 == 0 ? 3.5 * static_cast<double>(p) - 2 : 3.5 * static_cast<double>(p - 1)));
      CHECK(equal(bubble_of(shape, "v-min"), static_cast<double>(4 * p - (p % 3 == 0 ? 3 : 5))));
    }
  }
}

TEST_CASE("v-half repeats no gap where its authors say so: W + 2B >= 2F and W + 2F >= 2B") {
  CHECK(rc::check("v-half", [] {
    const auto [f, b, w] = any_times();
    const int64_t p = *rc::gen::inRange(2, 10), m = 12 * p;
    const ChunkTime time{f, b, w};
    const double lap =
        (seconds_of(uniform(p, 2, m + p, time), "v-half") - seconds_of(uniform(p, 2, m, time), "v-half"));
    const double gap = std::max({0.0, 2 * b - w - 2 * f, 2 * f - w - 2 * b});
    RC_ASSERT(equal(lap, static_cast<double>(p) * (2 * (f + b + w) + gap)));
  }));
}

TEST_CASE("dualpipe-v has the bubble of its README, (p-1)(F&B + B' - 3W), if F = B and W <= F") {
  CHECK(rc::check("dualpipe-v", [] {
    ChunkTime time = any_times();
    time.backward = time.forward;
    time.weight_gradient = std::min(time.forward, time.weight_gradient);
    const int64_t p = *rc::gen::inRange(2, 10), m = 2 * p + *rc::gen::inRange(0, 40);
    const double whole = time.backward + time.weight_gradient, pair = time.forward + whole;
    const double readme = static_cast<double>(p - 1) * (pair + whole - 3 * time.weight_gradient);
    RC_ASSERT(equal(bubble_of(uniform(p, 2, m, time), "dualpipe-v"), readme));
  }));
}

TEST_CASE("dualpipe-v with uneven passes: the longer of F and B fills the warm-up") {
  CHECK(rc::check("dualpipe-v, W <= F, B", [] {
    auto [f, b, w] = any_times();
    w = std::min({f, b, w});
    const int64_t p = *rc::gen::inRange(2, 10), m = 2 * p + *rc::gen::inRange(0, 40);
    const double gaps = static_cast<double>(p - 1);
    const double expected = gaps * (f + std::max(f, b) + b - w) - std::min(f, gaps * std::max(0.0, b - f));
    RC_ASSERT(equal(bubble_of(uniform(p, 2, m, {f, b, w}), "dualpipe-v"), expected));
  }));
}

TEST_CASE("activations at the peak, in chunks and to the weight gradient, are the published ones") {
  for (int64_t p = 2; p <= 24; ++p) {
    const int64_t m = 4 * p;
    CAPTURE(p);
    CHECK(peak_chunks("zb-h1", p, m) == p);
    CHECK(find_schedule("zb-h1")->in_flight(p - 1, p, 1, m) == 1);
    CHECK(peak_chunks("zb-v", p, m) == 2 * p);
    CHECK(peak_chunks("v-half", p, m) == 2 * ((p + 2) / 2));
    CHECK(peak_chunks("v-min", p, m) == 2 * ((p + 4) / 3));
    CHECK(peak_chunks("dualpipe-v", p, m) == 2 * p + 1);
  }
}

TEST_CASE("a brute force over all operations finds the same end") {
  CHECK(rc::check("brute force", [] {
    const ScheduleRow& row = **rc::gen::elementOf(split_rows());
    const int64_t stages = *rc::gen::inRange(2, 5), chunks = chunks_of(row, 1);
    PipelineShape shape = uniform(stages, chunks, *rc::gen::inRange(1, 9));
    for (ChunkTime& time : shape.times) time = any_times();
    RC_ASSERT(equal(relaxed(shape, row), row.time(shape).seconds));
  }));
}

TEST_CASE("a program runs every pass of every microbatch once, whatever their number, and its laps are alike") {
  for (const ScheduleRow* row : split_rows()) {
    for (int64_t p = 1; p <= 19; ++p) {
      const size_t lap = row->program(0, p).lap.size();
      for (int64_t r = 0; r < p; ++r) {
        const StageProgram program = row->program(r, p);
        CHECK(program.lap.size() == lap);
        CHECK(program.outside == row->program(0, p).outside);
        for (int64_t m : {int64_t{1}, p, program.outside, program.outside + 3}) {
          std::set<std::tuple<Work, int64_t, int64_t>> seen;
          for_each(program, m, [&](const Operation& each, int64_t i) { seen.insert({each.work, each.chunk, i}); });
          CHECK(seen.size() == static_cast<size_t>(3 * chunks_of(*row, 1) * m));
        }
      }
    }
  }
}

TEST_CASE("programs that are kept are those made anew, also once others have taken their room") {
  for (int64_t p : {3, 140, 4, 180, 3, 140}) {
    for (const planner::ProgramOf program : {planner::zb_h1, planner::dualpipe_v}) {
      const std::vector<StageProgram>& kept = planner::programs_of(program, p).of_stage;
      REQUIRE(kept.size() == static_cast<size_t>(p));
      for (int64_t r : {int64_t{0}, p - 1}) {
        const StageProgram made = program(r, p);
        CHECK(kept[static_cast<size_t>(r)].outside == made.outside);
        CHECK(kept[static_cast<size_t>(r)].warm_up.size() == made.warm_up.size());
        CHECK(kept[static_cast<size_t>(r)].drain.size() == made.drain.size());
      }
    }
  }
}

TEST_CASE("a vee sends nothing where it turns: one send less per pass than a loop has") {
  PipelineShape shape = uniform(3, 2, 1, {1, 1, 1});
  shape.send = 0.25;
  for (bool overlap : {false, true}) {
    shape.sends_overlap = overlap;
    CHECK(time_of(shape, "zb-v").send == doctest::Approx(2 * 4 * 0.25));
    CHECK(simulate(shape, "zb-v").seconds == doctest::Approx(seconds_of(shape, "zb-v")));
  }
}
