#include "planner/schedule/pipeline.h"

namespace planner {

PipelineProfile::PipelineProfile(const PipelineShape& shape) {
  reset(shape.stages, shape.chunks);
  for (const ChunkTime& time : shape.times) add(1, time);
}

void PipelineProfile::reset(int64_t stages, int64_t chunks) {
  stages_ = stages;
  chunks_ = chunks;
  runs_.clear();
}

void PipelineProfile::add(int64_t count, const ChunkTime& time) {
  if (count <= 0) return;
  if (!runs_.empty() && runs_.back().time == time) {
    runs_.back().count += count;
  } else {
    runs_.push_back({count, time});
  }
}

const ChunkTime& PipelineProfile::at(int64_t part) const {
  size_t run = 0;
  for (; part >= runs_[run].count; ++run) part -= runs_[run].count;
  return runs_[run].time;
}

}  // namespace planner
