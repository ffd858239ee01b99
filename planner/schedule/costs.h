// Shared by the computations of a step: the time that an operation holds its stage, and the division of a makespan.
#pragma once

#include <optional>
#include <vector>

#include "planner/schedule/pipeline.h"

namespace planner {

/// An operation holds its stage for its compute and, where sends block, for the send that follows it, in seconds.
/// `travel` is the time between its end and its arrival at the neighbour (overlapped sends), 0 otherwise. A link
/// carries one message per direction at a time.
struct OpCosts {
  double blocking = 0, travel = 0;
  int64_t last = 0;  // part: it sends no activations on, and part 0 no gradients back
  ChunkTime held(int64_t part, const ChunkTime& time) const {
    return {time.forward + (part < last ? blocking : 0), time.backward + (part > 0 ? blocking : 0)};
  }
};
OpCosts op_costs(const PipelineProfile& profile, const PipelineTraffic& traffic);

/// When a stage is free, and when its latest messages reached the neighbours (0: it never sends any).
struct StageClock {
  double free = 0, forward_arrival = 0, backward_arrival = 0;
};

/// Skips repetitions. The recurrences are max-plus linear: once all numbers of the state have moved by the same seconds
/// over a period, every such period takes these seconds, and need not be played.
struct SteadyState {
  std::vector<double> before{};
  double skipped = 0;  // seconds
  /// Returns how many of the next `periods` are skipped: all or none. `now` is the state a period after the last call,
  /// stage 0's clock first; 0 is the time of something that never happens. It is exchanged for one that may be
  /// overwritten.
  int64_t skip(std::vector<double>& now, int64_t periods);
};

/// The buffers of a recurrence over stages; each thread has its own, so that a step allocates no memory.
struct Recurrence {
  OpCosts costs{};
  std::vector<ChunkTime> held{};  // by part
  std::vector<StageClock> clocks{};
  std::vector<double> state{};
  SteadyState steady{};
  int64_t skip(int64_t periods);  // as SteadyState's, of `clocks`
};
Recurrence& start_recurrence(const PipelineProfile& profile, const PipelineTraffic& traffic);

/// Which stage ends last (ties: the first), and when.
struct Finish {
  double seconds = 0;
  int64_t stage = 0;
};

/// Returns the makespan with and without sends, as seconds = work + send + bubble, where send is the time added by
/// sends.
PipelineTime split_makespan(const PipelineProfile& profile, int64_t microbatches, PartOrder order,
                            const Finish& with_sends, double without);

// Makespans. REQUIRES: more than one stage.
/// Returns the exact makespan of GPipe, for any stages.
double gpipe_by_runs(const PipelineProfile& profile, const PipelineTraffic& traffic);
/// Returns the exact makespan of 1F1B, for any stages. REQUIRES: no overlapped sends.
double one_f_one_b_by_runs(const PipelineProfile& profile, const PipelineTraffic& traffic);
/// Returns the exact makespan, or nullopt where the parts between the first and the last one differ, or outside its
/// conditions.
std::optional<double> interleaved_by_paths(const PipelineProfile& profile, const PipelineTraffic& traffic);
// The recurrences, which hold for all.
double one_f_one_b_by_laps(const PipelineProfile& profile, const PipelineTraffic& traffic);
double interleaved_by_waves(const PipelineProfile& profile, const PipelineTraffic& traffic);

// Lower bounds of a makespan, but for rounding (least_makespan.cc). REQUIRES: more than one stage.
double least_one_f_one_b(const PipelineProfile& profile, const PipelineTraffic& traffic);
double least_interleaved(const PipelineProfile& profile, const PipelineTraffic& traffic);
double least_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program,
                      PartOrder order);

PipelineTime time_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program,
                           PartOrder order);
/// Returns the same of every stage, until it has nothing left to do.
std::vector<PipelineTime> time_stages_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic,
                                               ProgramOf program, PartOrder order);

}  // namespace planner
