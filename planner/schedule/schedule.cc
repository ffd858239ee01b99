#include "planner/schedule/schedule.h"

#include <algorithm>

#include "planner/schedule/costs.h"
#include "planner/schedule/program.h"

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

double in_flight_zb_h1_weights(int64_t, int64_t stages, int64_t, int64_t microbatches) {
  return static_cast<double>(std::min(stages, microbatches));
}

double in_flight_zb_v(int64_t stage, int64_t stages, int64_t, int64_t microbatches) {
  return static_cast<double>(std::min({2 * stages, 2 * microbatches, microbatches + stage + 1}));
}

double in_flight_dualpipe_v(int64_t stage, int64_t stages, int64_t, int64_t microbatches) {
  return static_cast<double>(std::min({2 * stages + 1, 2 * microbatches, microbatches + stage + 1}));
}

bool travels(const PipelineTraffic& traffic) { return traffic.sends_overlap && traffic.send > 0; }

double makespan_1f1b(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  return travels(traffic) ? one_f_one_b_by_laps(profile, traffic) : one_f_one_b_by_runs(profile, traffic);
}

double makespan_interleaved(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const std::optional<double> exact = interleaved_by_paths(profile, traffic);
  return exact ? *exact : interleaved_by_waves(profile, traffic);
}

double least_1f1b(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  return travels(traffic) ? least_one_f_one_b(profile, traffic) : one_f_one_b_by_runs(profile, traffic);
}

/// Of a loop whose stage 0 finishes last. `makespan` is called once or (if there are sends) twice.
template <double (*makespan)(const PipelineProfile&, const PipelineTraffic&)>
PipelineTime time_loop(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const bool alone = profile.stages() == 1;
  const double seconds = alone ? 0 : makespan(profile, traffic);
  const double without =
      !alone && traffic.send > 0 ? makespan(profile, PipelineTraffic{traffic.microbatches}) : seconds;
  return split_makespan(profile, traffic.microbatches, PartOrder::loop, {seconds}, without);
}

template <ProgramOf program, PartOrder order>
double least_of(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  return least_in_order(profile, traffic, program, order);
}

template <ProgramOf program, PartOrder order>
PipelineTime time_of(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  return time_in_order(profile, traffic, program, order);
}

template <ProgramOf program, PartOrder order>
std::vector<PipelineTime> stages_of(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  return time_stages_in_order(profile, traffic, program, order);
}

template <ProgramOf program, Work end>
double in_flight_of(int64_t stage, int64_t stages, int64_t, int64_t microbatches) {
  return peak_in_flight(program, stage, stages, microbatches, end);
}

/// Two chunks per stage in a vee, and a program.
template <ProgramOf program> constexpr ScheduleRow vee(const char* name, const char* summary,
                                                       decltype(ScheduleRow::in_flight) in_flight,
                                                       decltype(ScheduleRow::in_flight) to_weights = nullptr) {
  return {.name = name,
          .summary = summary,
          .time_profile = time_of<program, PartOrder::vee>,
          .least = least_of<program, PartOrder::vee>,
          .in_flight = in_flight,
          .splits_backward = true,
          .order = PartOrder::vee,
          .chunks = 2,
          .in_flight_to_weights = to_weights,
          .program = program,
          .time_stages = stages_of<program, PartOrder::vee>};
}

constexpr ScheduleRow kSchedules[] = {
    {"gpipe", "all forwards, then all backwards (Huang et al. 2019, arXiv:1811.06965)", time_loop<gpipe_by_runs>,
     gpipe_by_runs, in_flight_gpipe},
    {"1f1b", "one forward, one backward, at most p in flight (Narayanan et al. 2021, arXiv:2104.04473, 2.2.1)",
     time_loop<makespan_1f1b>, least_1f1b, in_flight_1f1b},
    {"interleaved", "1f1b over several model chunks per stage (Narayanan et al. 2021, arXiv:2104.04473, 2.2.2)",
     time_loop<makespan_interleaved>, least_interleaved, in_flight_interleaved},
    {.name = "zb-h1",
     .summary = "1f1b with weight gradients apart, in its bubbles (Qi et al. 2023, arXiv:2401.10241, 2.1)",
     .time_profile = time_of<zb_h1, PartOrder::loop>,
     .least = least_of<zb_h1, PartOrder::loop>,
     .in_flight = in_flight_1f1b,
     .splits_backward = true,
     .in_flight_to_weights = in_flight_zb_h1_weights,
     .program = zb_h1,
     .time_stages = stages_of<zb_h1, PartOrder::loop>},
    vee<zb_v>("zb-v", "two chunks in a vee, no bubble if F = B = W (Qi et al. 2023, arXiv:2401.10241, 6)",
              in_flight_zb_v),
    vee<v_half>("v-half", "two chunks in a vee, half the activations of 1f1b (Qi et al. 2024, arXiv:2405.15362, 3)",
                in_flight_of<v_half, Work::backward>),
    vee<v_min>("v-min", "two chunks in a vee, a third of the activations of 1f1b (Qi et al. 2024, arXiv:2405.15362, 3)",
               in_flight_of<v_min, Work::backward>, in_flight_of<v_min, Work::weight_gradient>),
    vee<dualpipe_v>("dualpipe-v",
                    "two chunks in a vee, forward and backward in pairs (DeepSeek 2024, arXiv:2412.19437)",
                    in_flight_dualpipe_v),
};

}  // namespace

std::span<const ScheduleRow> schedules() { return kSchedules; }

const ScheduleRow* find_schedule(std::string_view name) {
  for (const ScheduleRow& row : kSchedules)
    if (name == row.name) return &row;
  return nullptr;
}

PipelineTime ScheduleRow::time(const PipelineShape& shape) const {
  return time_profile(PipelineProfile(shape), {shape.microbatches, shape.send, shape.sends_overlap});
}

}  // namespace planner
