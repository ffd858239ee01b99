// The time of a schedule that is given as a program: every stage runs its list, each step as soon as the stage is free
// and its inputs are there (docs/models-schedule.md). Messages of one pass into one part of the model arrive in the
// order of the microbatches, so that none needs a number.
#include <algorithm>
#include <cassert>

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
  StageProgram program;
  std::vector<Task> tasks;  // [work*chunks + chunk]
  double free = 0;
  double link_free[2] = {0, 0};  // to the next stage, to the one before
};

struct Play {
  int64_t chunks = 1;
  double travel = 0;
  std::vector<Player> stages{};
  std::vector<Channel> channels{};
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

Play prepare(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  const int64_t stages = profile.stages(), chunks = profile.chunks();
  Play play{.chunks = chunks, .travel = traffic.sends_overlap ? traffic.send : 0};
  play.channels.resize(static_cast<size_t>(2 * stages * chunks));
  for (int64_t r = 0; r < stages; ++r) {
    Player& stage = play.stages.emplace_back(Player{.program = program(r, stages), .tasks = {}});
    for (const Work work : {Work::forward, Work::backward, Work::weight_gradient})
      for (int64_t c = 0; c < chunks; ++c) stage.tasks.push_back(task_of(profile, traffic, order, r, c, work));
    if (traffic.microbatches >= stage.program.outside) continue;
    Operations kept;
    for_each(stage.program, traffic.microbatches, [&](const Operation& each, int64_t) { kept.push_back(each); });
    stage.program = {traffic.microbatches, kept, {}, {}};
  }
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
bool run_list(Play& play, Player& stage, const Operations& list, size_t& next) {
  while (next < list.size()) {
    size_t end = next + 1;
    while (list[end - 1].joined) ++end;
    if (!run_step(play, stage, &list[next], &list[0] + end)) return false;
    next = end;
  }
  return true;
}

/// One list of every stage. Going up and down over the stages follows a microbatch either way.
void run_lists(Play& play, Operations StageProgram::*list) {
  const size_t count = play.stages.size();
  std::vector<size_t> next(count, 0);
  bool down = false, done = false;
  while (!done) {
    done = true;
    [[maybe_unused]] const std::vector<size_t> before = next;
    down = !down;
    for (size_t i = 0; i < count; ++i) {
      const size_t r = down ? count - 1 - i : i;
      done = run_list(play, play.stages[r], play.stages[r].program.*list, next[r]) && done;
    }
    assert((done || next != before || down) && "a program cannot deadlock");
  }
}

/// All that the rest of the step depends on; what has been used is forgotten.
std::vector<double> state_of(Play& play) {
  std::vector<double> state;
  for (const Player& stage : play.stages)
    state.insert(state.end(), {stage.free, stage.link_free[0], stage.link_free[1]});
  for (Channel& channel : play.channels) {
    channel.arrivals.erase(channel.arrivals.begin(), channel.arrivals.begin() + static_cast<int64_t>(channel.taken));
    channel.taken = 0;
    state.insert(state.end(), channel.arrivals.begin(), channel.arrivals.end());
  }
  return state;
}

Finish finish_of(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  Play play = prepare(profile, traffic, program, order);
  run_lists(play, &StageProgram::warm_up);
  const int64_t laps = traffic.microbatches - play.stages.front().program.outside, period = profile.stages();
  SteadyState steady;
  for (int64_t lap = 0; lap < laps; ++lap) {
    if (lap % period == 0) {
      std::vector<double> state = state_of(play);
      lap += period * steady.skip(state, (laps - lap) / period);
    }
    if (lap < laps) run_lists(play, &StageProgram::lap);
  }
  run_lists(play, &StageProgram::drain);
  const double last = std::ranges::max(play.stages, {}, &Player::free).free;
  const auto stage =
      std::ranges::find_if(play.stages, [&](const Player& each) { return each.free >= last * (1 - 1e-12); });
  return {last + steady.skipped, stage - play.stages.begin()};
}

}  // namespace

PipelineTime time_in_order(const PipelineProfile& profile, const Traffic& traffic, ProgramOf program, PartOrder order) {
  return time_by(profile, traffic, order, [&](const PipelineProfile& each, const Traffic& load) {
    return finish_of(each, load, program, order);
  });
}

}  // namespace planner
