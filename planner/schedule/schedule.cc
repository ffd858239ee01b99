#include "planner/schedule/schedule.h"

#include <algorithm>
#include <cmath>

#include "planner/schedule/costs.h"

namespace planner {

namespace {

double in_flight_gpipe(int64_t, int64_t, int64_t chunks, int64_t microbatches) {
  return static_cast<double>(microbatches * chunks);
}

double in_flight_1f1b(int64_t stage, int64_t stages, int64_t chunks, int64_t microbatches) {
  return static_cast<double>(std::min(stages - stage, microbatches) * chunks);
}

double in_flight_interleaved(int64_t stage, int64_t stages, int64_t chunks, int64_t microbatches) {
  const int64_t warm_up = 2 * (stages - 1 - stage) + (chunks - 1) * stages;
  return static_cast<double>(std::min(microbatches * chunks, warm_up + 1));
}

constexpr ScheduleRow kSchedules[] = {
    {"gpipe", "all forwards, then all backwards (Huang et al. 2019, arXiv:1811.06965)", time_gpipe, in_flight_gpipe},
    {"1f1b", "one forward, one backward, at most p in flight (Narayanan et al. 2021, arXiv:2104.04473, 2.2.1)",
     time_1f1b, in_flight_1f1b},
    {"interleaved", "1f1b over several model chunks per stage (Narayanan et al. 2021, arXiv:2104.04473, 2.2.2)",
     time_interleaved, in_flight_interleaved},
};

}  // namespace

std::span<const ScheduleRow> schedules() { return kSchedules; }

const ScheduleRow* find_schedule(std::string_view name) {
  for (const ScheduleRow& row : kSchedules) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

OpCosts op_costs(const PipelineShape& shape) {
  OpCosts costs{shape.times, shape.sends_overlap && shape.stages > 1 ? shape.send : 0};
  if (shape.sends_overlap || shape.stages == 1) return costs;
  // The end of the model sends no activations on, and its beginning no gradients back.
  for (size_t part = 0; part < costs.held.size(); ++part) {
    if (part + 1 < costs.held.size()) costs.held[part].forward += shape.send;
    if (part > 0) costs.held[part].backward += shape.send;
  }
  return costs;
}

PipelineShape without_sends(const PipelineShape& shape) {
  PipelineShape free = shape;
  free.send = 0;
  return free;
}

std::optional<double> common_shift(const std::vector<StageClock>& before, const std::vector<StageClock>& now) {
  const double shift = now[0].free - before[0].free;
  const double rounding = 1e-13 * now[0].free;
  const auto moved = [&](double from, double to) { return std::abs(to - from - shift) <= rounding; };
  const auto sent = [&](double from, double to) { return to == 0 || moved(from, to); };
  for (size_t r = 0; r < now.size(); ++r) {
    if (!moved(before[r].free, now[r].free) || !sent(before[r].forward_arrival, now[r].forward_arrival) ||
        !sent(before[r].backward_arrival, now[r].backward_arrival)) {
      return std::nullopt;
    }
  }
  return shift;
}

double first_stage_work(const PipelineShape& shape) {
  double once = 0;
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    const ChunkTime& time = shape.times[chunk * shape.stages];
    once += time.forward + time.backward;
  }
  return once * static_cast<double>(shape.microbatches);
}

PipelineTime split_makespan(const PipelineShape& shape, double with_sends, double without) {
  PipelineTime time;
  time.work = first_stage_work(shape);
  time.send = std::max(0.0, with_sends - without);
  time.bubble = std::max(0.0, without - time.work);
  time.seconds = time.work + time.send + time.bubble;
  return time;
}

}  // namespace planner
