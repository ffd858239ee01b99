// When the microbatches of a step run on the stages of a pipeline.
//
// The step of a plan is a closed form where one is known to be exact, a recurrence elsewhere; the event timeline exists
// for display and as an independent check (docs/models-schedule.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "planner/schedule/pipeline.h"

namespace planner {

/// One row per schedule.
struct ScheduleRow {
  const char* name;
  const char* summary;  // with source
  /// Returns the step of a profile. A search calls this; the numbers are those of time(), to the last bit.
  PipelineTime (*time_profile)(const PipelineProfile&, const PipelineTraffic&);
  /// Returns what that takes at least, but for rounding (least_makespan.h). REQUIRES: more than one stage.
  double (*least)(const PipelineProfile&, const PipelineTraffic&);
  /// Returns the microbatch-chunks whose activations stage r holds at its peak, from the forward to the end of the
  /// backward.
  double (*in_flight)(int64_t stage, int64_t stages, int64_t chunks, int64_t microbatches);
  bool splits_backward = false;  // weight gradients run apart from the input gradients
  PartOrder order = PartOrder::loop;
  int64_t chunks = 0;  // that it needs per stage; 0: any (interleaved), or one
  /// Returns in_flight counted to the end of the weight gradient, whose inputs stay until then; nullptr: the peak is
  /// that of in_flight.
  double (*in_flight_to_weights)(int64_t stage, int64_t stages, int64_t chunks, int64_t microbatches) = nullptr;
  ProgramOf program = nullptr;  // of the rows that split the backward pass
  /// Returns the step as each stage spends it until it has nothing left to do, `seconds` up to then. nullptr: every
  /// stage's last result is waited for by stage 0, which finishes last.
  std::vector<PipelineTime> (*time_stages)(const PipelineProfile&, const PipelineTraffic&) = nullptr;

  PipelineTime time(const PipelineShape& shape) const;
};
std::span<const ScheduleRow> schedules();
const ScheduleRow* find_schedule(std::string_view name);

/// An event of the timeline: stage r works on chunk c of microbatch i.
struct Event {
  int64_t stage = 0, chunk = 0, microbatch = 0;
  Work work = Work::forward;
  double start = 0, end = 0;
};

struct Timeline {
  std::vector<Event> events;  // by start, then stage
  double seconds = 0;
};

/// Plays the schedule event by event. REQUIRES: find_schedule(name).
Timeline simulate(const PipelineShape& shape, std::string_view schedule);

}  // namespace planner
