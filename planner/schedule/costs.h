// What the closed forms share: what an operation holds its stage for, and how a makespan is split.
#pragma once

#include <optional>
#include <vector>

#include "planner/schedule/schedule.h"

namespace planner {

/// Seconds an operation holds its stage: compute and, where sends block, the send that follows it.
/// `travel`: seconds between its end and its arrival next door (overlapped sends), 0 otherwise.
/// A link carries one message per direction at a time.
struct OpCosts {
  std::vector<ChunkTime> held;  // [chunk*stages + stage]
  double travel = 0;
};
OpCosts op_costs(const PipelineShape& shape);

/// The same shape with free sends.
PipelineShape without_sends(const PipelineShape& shape);

/// When a stage is free, and when its latest messages reached the neighbours (0: it never sends any).
struct StageClock {
  double free = 0, forward_arrival = 0, backward_arrival = 0;
};

/// The seconds by which all clocks moved on alike since `before`, if they did. The recurrences are max-plus
/// linear: from then on every such period takes the same seconds, and need not be played.
std::optional<double> common_shift(const std::vector<StageClock>& before, const std::vector<StageClock>& now);

/// Compute seconds of stage 0 in one step. Stage 0 is the one that finishes last in every schedule of
/// ours: the last backward of any other stage is followed by one of its neighbour before it.
double first_stage_work(const PipelineShape& shape);

/// The makespan with and without sends, as seconds = work + send + bubble, where send is what the sends add.
PipelineTime split_makespan(const PipelineShape& shape, double with_sends, double without);

/// The makespan by `makespan`, called once or (if there are sends) twice.
template <typename Makespan> PipelineTime time_by(const PipelineShape& shape, Makespan makespan) {
  if (shape.stages == 1) return split_makespan(shape, 0, 0);
  const double seconds = makespan(shape);
  return split_makespan(shape, seconds, shape.send > 0 ? makespan(without_sends(shape)) : seconds);
}

// One function per row of the table.
PipelineTime time_gpipe(const PipelineShape& shape);
PipelineTime time_1f1b(const PipelineShape& shape);
PipelineTime time_interleaved(const PipelineShape& shape);

}  // namespace planner
