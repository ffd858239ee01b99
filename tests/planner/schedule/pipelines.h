// Pipelines for the tests of schedules: shapes as models have them and shapes as they do not, and what a timeline says.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "planner/schedule/schedule.h"

namespace pipelines {

using planner::ChunkTime;
using planner::Event;
using planner::find_schedule;
using planner::PartOrder;
using planner::PipelineShape;
using planner::PipelineTime;
using planner::ScheduleRow;
using planner::schedules;
using planner::simulate;
using planner::Timeline;
using planner::Work;

inline PipelineShape uniform(int64_t stages, int64_t chunks, int64_t microbatches, ChunkTime time = {1, 2}) {
  return {stages, chunks, microbatches, std::vector<ChunkTime>(stages * chunks, time), 0, false};
}

inline PipelineTime time_of(const PipelineShape& shape, const char* schedule) {
  return find_schedule(schedule)->time(shape);
}

inline double seconds_of(const PipelineShape& shape, const char* schedule) { return time_of(shape, schedule).seconds; }

/// A ratio between `low` and `high` per cent.
inline double percent(int low, int high) { return *rc::gen::inRange(low, high + 1) / 100.0; }

inline const ScheduleRow& any_schedule() { return schedules()[*rc::gen::inRange<size_t>(0, schedules().size())]; }

/// The chunks of a row, `interleaved` of them if it takes any number.
inline int64_t chunks_of(const ScheduleRow& row, int64_t interleaved) {
  if (std::string_view(row.name) == "interleaved") return interleaved;
  return row.chunks == 0 ? 1 : row.chunks;
}

/// A backward of 2 as input and weight gradient.
constexpr ChunkTime kSplit{1, 1, 1};

/// Degrees and sends; the times are all 1 and 2.
inline PipelineShape any_degrees(const ScheduleRow& row) {
  const bool interleaved = std::string_view(row.name) == "interleaved";
  const int64_t stages = *rc::gen::inRange(1, 10), chunks = chunks_of(row, *rc::gen::inRange(1, 5));
  PipelineShape shape =
      uniform(stages, chunks, *rc::gen::inRange(1, 60), row.splits_backward ? kSplit : ChunkTime{1, 2});
  if (interleaved) shape.microbatches = (shape.microbatches + stages - 1) / stages * stages;
  shape.send = *rc::gen::inRange(0, 2) * percent(0, 10);
  shape.sends_overlap = *rc::gen::arbitrary<bool>();
  return shape;
}

/// What models are: equal chunks, a heavier last one, a slightly heavier first one.
inline PipelineShape realistic_shape(const ScheduleRow& row) {
  PipelineShape shape = any_degrees(row);
  const double last = percent(100, 160), first = percent(100, 110);
  const double backward = row.splits_backward ? 1 : 2, weights = row.splits_backward ? 1 : 0;
  shape.times.front() = {first, backward * first, weights * first};
  shape.times.back() = {last, backward * last, weights * last};
  return shape;
}

/// What models are not.
inline PipelineShape wild_shape(const ScheduleRow& row) {
  PipelineShape shape = any_degrees(row);
  for (ChunkTime& time : shape.times)
    time = {percent(0, 200), percent(0, 400), row.splits_backward ? percent(0, 300) : 0};
  shape.send = percent(0, 100);
  return shape;
}

using Key = std::tuple<int64_t, int64_t, Work>;  // part of the model, microbatch
inline std::map<Key, Event> by_key(const Timeline& timeline, PartOrder order, int64_t stages) {
  std::map<Key, Event> events;
  for (const Event& e : timeline.events) events[{part_at(order, e.chunk, e.stage, stages), e.microbatch, e.work}] = e;
  return events;
}

inline std::vector<Event> on_stage(const Timeline& timeline, int64_t stage) {
  std::vector<Event> events;
  std::ranges::copy_if(timeline.events, std::back_inserter(events), [&](const Event& e) { return e.stage == stage; });
  return events;
}

inline int64_t peak_in_flight(const std::vector<Event>& events, Work end) {
  int64_t now = 0, peak = 0;
  for (const Event& event : events)
    peak = std::max(peak, now += event.work == Work::forward ? 1 : event.work == end ? -1 : 0);
  return peak;
}

}  // namespace pipelines
