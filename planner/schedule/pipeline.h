// A pipeline as schedules see it: the times of the model's parts on its stages, and the traffic between them.
//
// A stage holds `chunks` model chunks (interleaving; 1 otherwise). Chunk c of stage r is part `part_at(...)` of the
// model, counted from its beginning; `times[part]` is that part's time for one microbatch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace planner {

/// The times are seconds of one chunk and one microbatch; backward includes recompute. A schedule that splits the
/// backward pass takes the weight gradients apart; for the others they are inside `backward` and `weight_gradient` is
/// 0.
struct ChunkTime {
  double forward = 0, backward = 0, weight_gradient = 0;
  bool operator==(const ChunkTime&) const = default;
};

/// In a loop chunk c of stage r is part c*stages + r. In a vee the second chunk comes back the way the first went, so
/// that stage 0 holds the first and the last part.
enum class PartOrder { loop, vee };
inline int64_t part_at(PartOrder order, int64_t chunk, int64_t stage, int64_t stages) {
  const bool back = order == PartOrder::vee && chunk % 2 == 1;
  return chunk * stages + (back ? stages - 1 - stage : stage);
}
inline int64_t stage_of(PartOrder order, int64_t part, int64_t stages) {
  const int64_t place = part % stages;
  return order == PartOrder::vee && part / stages % 2 == 1 ? stages - 1 - place : place;
}

/// The work of a stage on a chunk and a microbatch.
enum class Work { forward, backward, weight_gradient };
inline double seconds_of(const ChunkTime& time, Work work) {
  return work == Work::forward ? time.forward : work == Work::backward ? time.backward : time.weight_gradient;
}

struct PipelineShape {
  int64_t stages = 1, chunks = 1, microbatches = 1;
  std::vector<ChunkTime> times;  // by part: stages * chunks
  double send = 0;               // seconds of one boundary crossing
  bool sends_overlap = false;    // sends run parallel to compute
};

/// Parts of the model in a row that take the same time.
struct PartRun {
  int64_t count = 0;
  ChunkTime time;
};

/// A pipeline by runs of equal parts: the data that a search keeps while microbatches and sends change.
class PipelineProfile {
 public:
  PipelineProfile() = default;
  explicit PipelineProfile(const PipelineShape& shape);

  /// Empties the profile, for that many parts; memory is kept.
  void reset(int64_t stages, int64_t chunks);
  /// Adds the next `count` parts of the model; those equal to the ones before join their run. REQUIRES before it is
  /// timed: stages * chunks parts in all.
  void add(int64_t count, const ChunkTime& time);

  int64_t stages() const { return stages_; }
  int64_t chunks() const { return chunks_; }
  std::span<const PartRun> runs() const { return runs_; }
  const ChunkTime& at(int64_t part) const;

 private:
  int64_t stages_ = 1, chunks_ = 1;
  std::vector<PartRun> runs_;
};

/// The traffic of a step through a pipeline; as in PipelineShape.
struct PipelineTraffic {
  int64_t microbatches = 1;
  double send = 0;
  bool sends_overlap = false;
};

/// The makespan, and how the rank that finishes last spent it:
/// seconds = work + send + bubble.
struct PipelineTime {
  double seconds = 0;
  int64_t stage = 0;  // the one that finishes last (ties: the first)
  double work = 0, send = 0, bubble = 0;
};

struct StageProgram;  // program.h
using ProgramOf = StageProgram (*)(int64_t stage, int64_t stages);

}  // namespace planner
