// A schedule as the list of operations of each stage. For the schedules that split the backward pass this list is the
// definition: the recurrence (in_order.cc) and the event timeline both read it, and share nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "planner/schedule/pipeline.h"

namespace planner {

/// The k-th operation of its kind and chunk in a list is that of microbatch k. Operations joined to their successors
/// are one step: it starts when all inputs have arrived, and its sends leave after its last operation. Thus a backward
/// joined to its weight gradient is a backward that is not split.
struct Operation {
  Work work = Work::forward;
  int32_t chunk = 0;
  bool joined = false;
};
using Operations = std::vector<Operation>;

/// The most stages of a schedule that is given as lists: all of them hold some 16 operations for each pair of stages.
inline constexpr int64_t kMostStages = 1024;

/// A warm-up, max(0, microbatches - outside) laps, the drain; operations of microbatches that the step does not have
/// are dropped. `outside`, and the number of operations of each kind in a lap, are the same on every stage.
/// No operation waits for one of a later lap.
struct StageProgram {
  int64_t outside = 0;
  Operations warm_up, lap, drain;
};

/// Calls visit(operation, microbatch) for every operation of a step of `microbatches`.
template <typename Visit> void for_each(const StageProgram& program, int64_t microbatches, Visit visit) {
  constexpr int64_t kWorks = 3;
  std::vector<int64_t> done;
  const auto run = [&](const Operations& list) {
    for (const Operation& operation : list) {
      const auto kind = static_cast<size_t>(operation.chunk * kWorks + static_cast<int64_t>(operation.work));
      if (kind >= done.size()) done.resize(kind + 1);
      const int64_t microbatch = done[kind]++;
      if (microbatch < microbatches) visit(operation, microbatch);
    }
  };
  run(program.warm_up);
  for (int64_t lap = program.outside; lap < microbatches; ++lap) run(program.lap);
  run(program.drain);
}

/// Returns the activations of chunks that are held at the peak: a forward adds one, `end` takes it away.
double peak_in_flight(const StageProgram& program, int64_t microbatches, Work end);
/// Returns the same of one stage of many, kept for this thread.
double peak_in_flight(ProgramOf program, int64_t stage, int64_t stages, int64_t microbatches, Work end);

/// The ends of a list, in a step with laps. By chunk: forwards before the step of the first backward, weight gradients
/// behind the step of chunk 0's last one.
struct ProgramEnds {
  std::array<int64_t, 2> forwards{}, weights{};
  int64_t first_backward = 0;  // its chunk
};
/// REQUIRES: at most two chunks.
ProgramEnds ends_of(const StageProgram& program);

/// The programs of all stages, kept for this thread: good until the next call.
struct StagePrograms {
  std::vector<StageProgram> of_stage;
  std::vector<ProgramEnds> ends;
};
const StagePrograms& programs_of(ProgramOf program, int64_t stages);

/// The equations of these lists are in docs/models-schedule.md, with their sources.
StageProgram zb_h1(int64_t stage, int64_t stages);
StageProgram zb_v(int64_t stage, int64_t stages);
StageProgram v_half(int64_t stage, int64_t stages);
StageProgram v_min(int64_t stage, int64_t stages);
StageProgram dualpipe_v(int64_t stage, int64_t stages);

}  // namespace planner
