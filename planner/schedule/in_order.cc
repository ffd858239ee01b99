// The time of a schedule that is given as a program: every stage runs its list, each step as soon as the stage is free
// and its inputs are there (docs/models-schedule.md). Messages of one pass into one part of the model arrive in the
// order of the microbatches, so that none needs a number.
#include <algorithm>
#include <cassert>
#include <utility>

#include "planner/schedule/costs.h"
#include "planner/schedule/program.h"

namespace planner {

namespace {

/// Arrivals at one pass of one part; those before `taken` have been used.
struct Channel {
  std::vector<double> arrivals;
  size_t taken = 0;
};

/// An operation of a stage as the recurrence sees it. Channels: of the forward into a part, then of the backward into
/// it; -1: the input is on the stage itself, where the list has it earlier, or there is none.
struct Task {
  double held = 0;
  int64_t input = -1, output = -1, link = -1;
};

struct Player {
  const StageProgram* program = nullptr;
  Operations whole{};         // the list of a step too short for a lap
  size_t next = 0;            // in the list that is played
  std::vector<Task> tasks{};  // [work*chunks + chunk]
  double free = 0;
  double link_free[2] = {0, 0};  // to the next stage, to the one before
};

/// Each thread has one, so that a step allocates little.
struct Play {
  int64_t chunks = 1;
  double travel = 0;
  std::vector<Player> stages{};
  std::vector<Channel> channels{};
  std::vector<double> state{};
  SteadyState steady{};
};

Task task_of(const PipelineProfile& profile, const Traffic& traffic, PartOrder order, int64_t stage, int64_t chunk,
             Work work) {
  const int64_t stages = profile.stages(), parts = stages * profile.chunks();
  const int64_t part = part_at(order, chunk, stage, stages);
  Task task{.held = seconds_of(profile.at(part), work)};
  if (work == Work::weight_gradient) return task;
  const int64_t ahead = work == Work::forward ? 1 : -1, base = work == Work::forward ? 0 : parts;
  const auto elsewhere = [&](int64_t other) {
    return other >= 0 && other < parts && stage_of(order, other, stages) != stage;
  };
  if (elsewhere(part - ahead)) task.input = base + part;
  if (!elsewhere(part + ahead)) return task;
  task.output = base + part + ahead;
  if (!traffic.sends_overlap) task.held += traffic.send;
  else task.link = stage_of(order, part + ahead, stages) < stage ? 1 : 0;
  return task;
}

void prepare(Player& stage, const PipelineProfile& profile, const Traffic& traffic, PartOrder order, int64_t r) {
  stage.free = stage.link_free[0] = stage.link_free[1] = 0;
  stage.tasks.clear();
  for (const Work work : {Work::forward, Work::backward, Work::weight_gradient})
    for (int64_t c = 0; c < profile.chunks(); ++c) stage.tasks.push_back(task_of(profile, traffic, order, r, c, work));
  stage.whole.clear();
  if (traffic.microbatches >= stage.program->outside) return;
  for_each(*stage.program, traffic.microbatches, [&](const Operation& each, int64_t) { stage.whole.push_back(each); });
}

Play& prepare(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  thread_local Play play;
  const int64_t stages = profile.stages();
  const std::vector<StageProgram>& programs = programs_of(program, stages).of_stage;
  play.chunks = profile.chunks();
  play.travel = traffic.sends_overlap ? traffic.send : 0;
  play.channels.resize(static_cast<size_t>(2 * stages * play.chunks));
  for (Channel& channel : play.channels) {
    channel.arrivals.clear();
    channel.taken = 0;
  }
  play.stages.resize(static_cast<size_t>(stages));
  for (int64_t r = 0; r < stages; ++r) {
    Player& stage = play.stages[static_cast<size_t>(r)];
    stage.program = &programs[static_cast<size_t>(r)];
    prepare(stage, profile, traffic, order, r);
  }
  play.steady.before.clear();
  play.steady.skipped = 0;
  return play;
}

const Task& task_at(const Play& play, const Player& stage, const Operation& operation) {
  return stage.tasks[static_cast<size_t>(static_cast<int64_t>(operation.work) * play.chunks + operation.chunk)];
}

/// Plays the operations [begin, end) as one step; false if an input is missing.
bool run_step(Play& play, Player& stage, const Operation* begin, const Operation* end) {
  double start = stage.free, held = 0;
  for (const Operation* each = begin; each != end; ++each) {
    const Task& task = task_at(play, stage, *each);
    held += task.held;
    if (task.input < 0) continue;
    const Channel& channel = play.channels[static_cast<size_t>(task.input)];
    if (channel.taken == channel.arrivals.size()) return false;
    start = std::max(start, channel.arrivals[channel.taken]);
  }
  stage.free = start + held;
  for (const Operation* each = begin; each != end; ++each) {
    const Task& task = task_at(play, stage, *each);
    if (task.input >= 0) ++play.channels[static_cast<size_t>(task.input)].taken;
    if (task.output < 0) continue;
    double arrival = stage.free;
    if (task.link >= 0) {
      double& link = stage.link_free[task.link];
      arrival = link = std::max(link, stage.free) + play.travel;
    }
    play.channels[static_cast<size_t>(task.output)].arrivals.push_back(arrival);
  }
  return true;
}

/// As far as the inputs reach; true if that is to the end.
bool run_list(Play& play, Player& stage, const Operations& list) {
  while (stage.next < list.size()) {
    size_t end = stage.next + 1;
    while (list[end - 1].joined) ++end;
    if (!run_step(play, stage, list.data() + stage.next, list.data() + end)) return false;
    stage.next = end;
  }
  return true;
}

size_t played(const Play& play) {
  size_t steps = 0;
  for (const Player& stage : play.stages) steps += stage.next;
  return steps;
}

/// One list of every stage. Going up and down over the stages follows a microbatch either way.
template <typename ListOf> void run_lists(Play& play, ListOf list_of) {
  const size_t count = play.stages.size();
  for (Player& stage : play.stages) stage.next = 0;
  bool down = false, done = false;
  [[maybe_unused]] size_t before = 0;
  while (!done) {
    done = true;
    down = !down;
    for (size_t i = 0; i < count; ++i) {
      Player& stage = play.stages[down ? count - 1 - i : i];
      done = run_list(play, stage, list_of(stage)) && done;
    }
    [[maybe_unused]] const size_t was = std::exchange(before, played(play));
    assert((done || was != before || down) && "a program cannot deadlock");
  }
}
void run_lists(Play& play, Operations StageProgram::*list) {
  run_lists(play, [list](const Player& stage) -> const Operations& { return stage.program->*list; });
}

/// All that the rest of the step depends on; what has been used is forgotten.
void take_state(Play& play) {
  std::vector<double>& state = play.state;
  state.clear();
  for (const Player& stage : play.stages)
    state.insert(state.end(), {stage.free, stage.link_free[0], stage.link_free[1]});
  for (Channel& channel : play.channels) {
    channel.arrivals.erase(channel.arrivals.begin(), channel.arrivals.begin() + static_cast<int64_t>(channel.taken));
    channel.taken = 0;
    state.insert(state.end(), channel.arrivals.begin(), channel.arrivals.end());
  }
}

void run_laps(Play& play, int64_t laps) {
  run_lists(play, &StageProgram::warm_up);
  const int64_t period = static_cast<int64_t>(play.stages.size());
  for (int64_t lap = 0; lap < laps; ++lap) {
    if (lap % period == 0) {
      take_state(play);
      lap += period * play.steady.skip(play.state, (laps - lap) / period);
    }
    if (lap < laps) run_lists(play, &StageProgram::lap);
  }
  run_lists(play, &StageProgram::drain);
}

const Play& play_all(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  Play& play = prepare(profile, traffic, program, order);
  const int64_t laps = traffic.microbatches - play.stages.front().program->outside;
  if (laps >= 0) run_laps(play, laps);
  else run_lists(play, [](const Player& stage) -> const Operations& { return stage.whole; });
  return play;
}

}  // namespace

PipelineTime time_in_order(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  return std::ranges::max(time_stages_in_order(profile, traffic, program, order), {}, &PipelineTime::seconds);
}

std::vector<PipelineTime> time_stages_in_order(const PipelineProfile& profile, const Traffic& traffic,
                                               ProgramOf program, PartOrder order) {
  const auto finishes = [&](const Traffic& load) {
    std::vector<double> out(static_cast<size_t>(profile.stages()));
    if (profile.stages() == 1) return out;
    const Play& play = play_all(profile, load, program, order);
    for (size_t r = 0; r < out.size(); ++r) out[r] = play.stages[r].free + play.steady.skipped;
    return out;
  };
  const std::vector<double> with_sends = finishes(traffic);
  const std::vector<double> without = traffic.send > 0 ? finishes(Traffic{traffic.microbatches}) : with_sends;
  std::vector<PipelineTime> out;
  for (size_t r = 0; r < with_sends.size(); ++r)
    out.push_back(
        split_makespan(profile, traffic.microbatches, order, {with_sends[r], static_cast<int64_t>(r)}, without[r]));
  return out;
}

}  // namespace planner
