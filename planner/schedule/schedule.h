// When the microbatches of a step run on the stages of a pipeline.
//
// The step of a plan is the closed form; the event timeline exists for display
// and as an independent check (tests hold the two within 1 %).
//
// A stage holds `chunks` model chunks (interleaving; 1 otherwise); chunk c of stage r is
// part c*stages + r of the model. `times[c*stages + r]` is its time for one microbatch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planner {

/// Seconds of one chunk and one microbatch; backward includes recompute.
struct ChunkTime {
  double forward = 0, backward = 0;
};

struct PipelineShape {
  int64_t stages = 1, chunks = 1, microbatches = 1;
  std::vector<ChunkTime> times;  // stages * chunks
  double send = 0;               // seconds of one boundary crossing
  bool sends_overlap = false;    // sends run beside compute
};

/// The makespan, and how the rank that finishes last spent it:
/// seconds = work + send + bubble.
struct PipelineTime {
  double seconds = 0;
  int64_t stage = 0;  // the one that finishes last (ties: the first)
  double work = 0, send = 0, bubble = 0;
};

/// One row per schedule: gpipe, 1f1b, interleaved.
struct ScheduleRow {
  const char* name;
  const char* summary;  // with source
  PipelineTime (*time)(const PipelineShape&);
  /// Microbatch-chunks whose activations stage r holds at its peak.
  double (*in_flight)(int64_t stage, int64_t stages, int64_t chunks, int64_t microbatches);
};
std::span<const ScheduleRow> schedules();
const ScheduleRow* find_schedule(std::string_view name);

/// An event of the timeline: stage r works on chunk c of microbatch i.
struct Event {
  int64_t stage = 0, chunk = 0, microbatch = 0;
  bool backward = false;
  double start = 0, end = 0;
};

struct Timeline {
  std::vector<Event> events;  // by start, then stage
  double seconds = 0;
};

/// Plays the schedule event by event. REQUIRES: find_schedule(name).
Timeline simulate(const PipelineShape& shape, std::string_view schedule);

}  // namespace planner
