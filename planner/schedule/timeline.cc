// The event timeline: every stage has a list of operations and starts the next step when it is free and its
// inputs have arrived. Nothing but the programs that define some schedules is shared with the recurrences, which it
// checks.
#include <algorithm>
#include <cassert>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "planner/schedule/program.h"
#include "planner/schedule/schedule.h"

namespace planner {

namespace {

// The input of the event timeline: every operation of every stage, in order and with its microbatch.

struct Numbered {
  Operation operation;
  int64_t microbatch = 0;
};

using List = std::vector<Numbered>;

/// `warm_up` forwards, then one forward and one backward in turn, then the backwards left.
List warm_up_then_alternate(const List& forwards, const List& backwards, int64_t warm_up) {
  const int64_t count = static_cast<int64_t>(forwards.size());
  const int64_t ahead = std::min(warm_up, count);
  List list(forwards.begin(), forwards.begin() + ahead);
  for (int64_t next = 0; next < count; ++next) {
    if (next + ahead < count) list.push_back(forwards[static_cast<size_t>(next + ahead)]);
    list.push_back(backwards[static_cast<size_t>(next)]);
  }
  return list;
}

/// Groups of `group` microbatches, chunk by chunk; backward from the last chunk on.
List in_groups(int64_t chunks, int64_t microbatches, int64_t group, Work work) {
  List list;
  for (int64_t begin = 0; begin < microbatches; begin += group) {
    for (int64_t c = 0; c < chunks; ++c) {
      const int64_t chunk = work == Work::backward ? chunks - 1 - c : c;
      for (int64_t i = begin; i < begin + group; ++i) list.push_back({{work, static_cast<int32_t>(chunk)}, i});
    }
  }
  return list;
}

int64_t warm_up_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  if (schedule == "gpipe") return shape.microbatches;
  const int64_t after = shape.stages - 1 - stage;
  return schedule == "1f1b" ? after : 2 * after + (shape.chunks - 1) * shape.stages;
}

List by_program(const StageProgram& program, int64_t microbatches) {
  List list;
  for_each(program, microbatches, [&](const Operation& each, int64_t microbatch) {
    list.push_back({each, microbatch});
  });
  return list;
}

/// Returns the operations of a stage in order. REQUIRES: find_schedule(schedule).
List operations_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  if (const ProgramOf program = find_schedule(schedule)->program)
    return by_program(program(stage, shape.stages), shape.microbatches);
  const int64_t group = schedule == "interleaved" ? shape.stages : 1;
  return warm_up_then_alternate(in_groups(shape.chunks, shape.microbatches, group, Work::forward),
                                in_groups(shape.chunks, shape.microbatches, group, Work::backward),
                                warm_up_of(shape, schedule, stage));
}

struct StageState {
  std::vector<Numbered> list;
  size_t next = 0;
  bool busy = false;
  double link_free[2] = {0, 0};  // down the stages, up
};

/// Something that happens to a stage: it becomes free, or a message reaches it.
struct Happening {
  double time = 0;
  int64_t stage = 0;
  int64_t message = -1;  // none: the stage becomes free
};
struct Later {
  bool operator()(const Happening& a, const Happening& b) const { return a.time > b.time; }
};

struct Simulation {
  const PipelineShape& shape;
  PartOrder order = PartOrder::loop;
  int64_t parts = 0, microbatches = 0;
  std::vector<StageState> stages{};
  std::vector<bool> arrived{};  // by message
  std::priority_queue<Happening, std::vector<Happening>, Later> queue{};
  Timeline timeline{};

  /// The message that an operation on this part of the model waits for.
  size_t message(int64_t part, Work work, int64_t microbatch) const {
    return static_cast<size_t>((static_cast<int64_t>(work) * parts + part) * microbatches + microbatch);
  }
  int64_t part(int64_t stage, const Numbered& each) const {
    return part_at(order, each.operation.chunk, stage, shape.stages);
  }
};

/// A pass makes the next part of the model ready, or the previous one; at the end of the model a forward is its own
/// backward's input.
struct Next {
  int64_t part;
  Work work;
};
std::optional<Next> next_of(const Simulation& sim, int64_t part, Work work) {
  if (work == Work::forward) return part == sim.parts - 1 ? Next{part, Work::backward} : Next{part + 1, work};
  if (work == Work::backward && part > 0) return Next{part - 1, work};
  return {};
}

/// Whether what the operation makes goes to another stage.
bool sends(const Simulation& sim, int64_t from, const Numbered& each) {
  const auto next = next_of(sim, sim.part(from, each), each.operation.work);
  return next && stage_of(sim.order, next->part, sim.shape.stages) != from;
}

void deliver(Simulation& sim, int64_t from, const Numbered& each, double ready) {
  const auto [work, chunk, joined] = each.operation;
  const auto next = next_of(sim, sim.part(from, each), work);
  if (!next) return;
  double time = ready;
  if (sim.shape.sends_overlap && sends(sim, from, each)) {
    const bool turned = sim.order == PartOrder::vee && chunk % 2 == 1;
    double& link_free = sim.stages[static_cast<size_t>(from)].link_free[(work == Work::backward) != turned];
    time = link_free = std::max(link_free, ready) + sim.shape.send;
  }
  const size_t message = sim.message(next->part, next->work, each.microbatch);
  sim.queue.push({time, stage_of(sim.order, next->part, sim.shape.stages), static_cast<int64_t>(message)});
}

/// The operations that run as one, joined each to the next.
std::span<const Numbered> step_of(const StageState& stage) {
  size_t end = stage.next + 1;
  while (stage.list[end - 1].operation.joined) ++end;
  return std::span(stage.list).subspan(stage.next, end - stage.next);
}

/// A weight gradient waits for its backward, which may be in the same step.
bool inputs_are_there(Simulation& sim, int64_t r, std::span<const Numbered> step) {
  return std::ranges::all_of(step, [&, before = static_cast<const Numbered*>(nullptr)](const Numbered& each) mutable {
    const Numbered* previous = std::exchange(before, &each);
    const auto [work, chunk, joined] = each.operation;
    const bool follows = previous && work == Work::weight_gradient && previous->operation.work == Work::backward &&
                         previous->operation.chunk == chunk && previous->microbatch == each.microbatch;
    return follows || sim.arrived[sim.message(sim.part(r, each), work, each.microbatch)];
  });
}

/// Blocking sends hold the stage until the messages have arrived.
void start_next(Simulation& sim, int64_t r, double now) {
  StageState& stage = sim.stages[static_cast<size_t>(r)];
  if (stage.busy || stage.next == stage.list.size()) return;
  const std::span<const Numbered> step = step_of(stage);
  if (!inputs_are_there(sim, r, step)) return;
  stage.busy = true;
  stage.next += step.size();
  double end = now, held = 0;
  for (const Numbered& each : step) {
    const auto [work, chunk, joined] = each.operation;
    const int64_t part = sim.part(r, each);
    const double start = end;
    end += seconds_of(sim.shape.times[static_cast<size_t>(part)], work);
    sim.timeline.events.push_back({r, chunk, each.microbatch, work, start, end});
    if (!sim.shape.sends_overlap && sends(sim, r, each)) held += sim.shape.send;
    // It cannot start before the stage is free again.
    if (work == Work::backward) sim.arrived[sim.message(part, Work::weight_gradient, each.microbatch)] = true;
  }
  sim.queue.push({end + held, r});
  for (const Numbered& each : step) deliver(sim, r, each, end + held);
}

Simulation prepare(const PipelineShape& shape, std::string_view schedule) {
  Simulation sim{.shape = shape, .order = find_schedule(schedule)->order};
  sim.parts = shape.stages * shape.chunks;
  sim.microbatches = shape.microbatches;
  for (int64_t r = 0; r < shape.stages; ++r) sim.stages.push_back({.list = operations_of(shape, schedule, r)});
  sim.arrived.resize(static_cast<size_t>(3 * sim.parts * sim.microbatches));
  for (int64_t i = 0; i < sim.microbatches; ++i) sim.arrived[sim.message(0, Work::forward, i)] = true;
  return sim;
}

void play(Simulation& sim) {
  start_next(sim, 0, 0);
  while (!sim.queue.empty()) {
    const Happening now = sim.queue.top();
    sim.queue.pop();
    if (now.message >= 0) {
      sim.arrived[static_cast<size_t>(now.message)] = true;
    } else {
      sim.stages[static_cast<size_t>(now.stage)].busy = false;
    }
    start_next(sim, now.stage, now.time);
  }
  assert(std::ranges::all_of(sim.stages, [](const StageState& stage) { return stage.next == stage.list.size(); }) &&
         "the schedule cannot deadlock");
}

}  // namespace

Timeline simulate(const PipelineShape& shape, std::string_view schedule) {
  PipelineShape padded = shape;
  if (schedule == "interleaved")
    padded.microbatches += (-shape.microbatches % shape.stages + shape.stages) % shape.stages;
  Simulation sim = prepare(padded, schedule);
  play(sim);
  Timeline timeline = std::move(sim.timeline);
  for (const Event& event : timeline.events) timeline.seconds = std::max(timeline.seconds, event.end);
  std::erase_if(timeline.events, [&](const Event& event) { return event.microbatch >= shape.microbatches; });
  // Stable, since a stage may run operations of no length at one time.
  std::ranges::stable_sort(timeline.events, {},
                           [](const Event& event) { return std::tuple(event.start, event.stage); });
  return timeline;
}

}  // namespace planner
