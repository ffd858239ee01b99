// The time of a schedule that is given as a program: every stage runs its list, each step as soon as the stage is free
// and its inputs are there (docs/models-schedule.md). The lists of all stages stand as one list, in an order in which
// inputs are always there.
#include <algorithm>

#include "planner/schedule/compiled.h"
#include "planner/schedule/costs.h"

namespace planner {

namespace {

/// Each thread has one, so that a step allocates little.
struct Play {
  const CompiledProgram* program = nullptr;
  double travel = 0;
  std::vector<double> times{};     // compiled.h
  std::vector<double> free{};      // by stage
  std::vector<double> links{};     // when each link is free; the last: none
  std::vector<double> arrivals{};  // rows
  uint32_t row = 0;                // where the list that is played has its first
  std::vector<double> state{};
  SteadyState steady{};
};

/// What the parts hold their stages for.
void take_times(Play& play, const PipelineProfile& profile, const PipelineTraffic& traffic, PartOrder order) {
  const int64_t stages = profile.stages(), parts = stages * profile.chunks();
  const double blocking = traffic.sends_overlap ? 0 : traffic.send;
  const auto crosses = [&](int64_t part) {  // to the next one
    return part + 1 < parts && (order == PartOrder::loop || (part + 1) % stages != 0);
  };
  play.times.clear();
  int64_t part = 0;
  for (const auto& [count, time] : profile.runs())
    for (const int64_t end = part + count; part < end; ++part)
      play.times.insert(play.times.end(),
                        {time.forward + (crosses(part) ? blocking : 0),
                         time.backward + (part > 0 && crosses(part - 1) ? blocking : 0), time.weight_gradient});
  play.times.push_back(0);
  for (const auto& [a, b, c] : play.program->joined)
    play.times.push_back(play.times[a] + play.times[b] + play.times[c]);
}

constexpr uint32_t kMoreRows = 64;  // that laps go through before what waits is moved to the first rows again

Play& prepare(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program, PartOrder order) {
  thread_local Play play;
  const int64_t stages = profile.stages();
  play.program = &compiled(program, order, stages, profile.chunks(), traffic.microbatches);
  play.travel = traffic.sends_overlap ? traffic.send : 0;
  take_times(play, profile, traffic, order);
  play.free.assign(static_cast<size_t>(stages), 0);
  play.links.assign(static_cast<size_t>(2 * stages + 1), 0);
  const size_t places = static_cast<size_t>(play.program->rows + kMoreRows) * play.program->columns;
  if (play.arrivals.size() < places) play.arrivals.resize(places);
  play.row = 0;
  play.steady.before.clear();
  play.steady.skipped = 0;
  return play;
}

/// kTravels: sends run beside compute.
template <bool kTravels> void run_moves(Play& play, const StageMoves& moves) {
  const double* times = play.times.data();
  double* free = play.free.data();
  double* links = play.links.data();
  double* arrivals = play.arrivals.data() + static_cast<size_t>(play.row) * play.program->columns;
  arrivals[play.program->nothing()] = 0;
  for (const StageMove& move : moves) {
    const double end = std::max(free[move.stage], arrivals[move.input]) + times[move.held];
    double arrival = end;
    if constexpr (kTravels) arrival = links[move.link] = std::max(links[move.link], end) + play.travel;
    arrivals[move.output] = arrival;
    free[move.stage] = end + times[move.behind];
  }
}

void run_list(Play& play, const StageMoves& moves, bool travels) {
  if (travels) run_moves<true>(play, moves);
  else run_moves<false>(play, moves);
}

/// All that the rest of the step depends on.
void take_state(Play& play) {
  std::vector<double>& state = play.state;
  state.assign(play.free.begin(), play.free.end());
  state.insert(state.end(), play.links.begin(), play.links.end() - 1);
  const double* arrivals = play.arrivals.data() + static_cast<size_t>(play.row) * play.program->columns;
  for (const uint32_t place : play.program->pending) state.push_back(arrivals[place]);
}

/// What arrives in the next lap is a row further.
void next_row(Play& play) {
  if (++play.row < kMoreRows) return;
  const CompiledProgram& p = *play.program;
  const auto first = play.arrivals.begin() + static_cast<std::ptrdiff_t>(p.first_row) * p.columns;
  const auto waits = first + static_cast<std::ptrdiff_t>(play.row) * p.columns;
  std::copy(waits, waits + static_cast<std::ptrdiff_t>(p.lap_rows) * p.columns, first);
  play.row = 0;
}

void run_laps(Play& play, int64_t laps, bool travels) {
  const int64_t period = static_cast<int64_t>(play.free.size());
  for (int64_t lap = 0; lap < laps; ++lap) {
    if (lap % period == 0) {
      take_state(play);
      lap += period * play.steady.skip(play.state, (laps - lap) / period);
    }
    if (lap == laps) break;
    run_list(play, play.program->lap, travels);
    next_row(play);
  }
}

const Play& play_all(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program,
                     PartOrder order) {
  Play& play = prepare(profile, traffic, program, order);
  run_list(play, play.program->warm_up, traffic.sends_overlap);
  run_laps(play, traffic.microbatches - play.program->outside, traffic.sends_overlap);
  run_list(play, play.program->drain, traffic.sends_overlap);
  return play;
}

}  // namespace

PipelineTime time_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program,
                           PartOrder order) {
  return std::ranges::max(time_stages_in_order(profile, traffic, program, order), {}, &PipelineTime::seconds);
}

std::vector<PipelineTime> time_stages_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic,
                                               ProgramOf program, PartOrder order) {
  const auto finishes = [&](const PipelineTraffic& load) {
    std::vector<double> out(static_cast<size_t>(profile.stages()));
    if (profile.stages() == 1) return out;
    const Play& play = play_all(profile, load, program, order);
    for (size_t r = 0; r < out.size(); ++r) out[r] = play.free[r] + play.steady.skipped;
    return out;
  };
  const std::vector<double> with_sends = finishes(traffic);
  const std::vector<double> without = traffic.send > 0 ? finishes(PipelineTraffic{traffic.microbatches}) : with_sends;
  std::vector<PipelineTime> out;
  for (size_t r = 0; r < with_sends.size(); ++r)
    out.push_back(
        split_makespan(profile, traffic.microbatches, order, {with_sends[r], static_cast<int64_t>(r)}, without[r]));
  return out;
}

}  // namespace planner
