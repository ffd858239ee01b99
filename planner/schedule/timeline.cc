// The event timeline: every stage has a list of operations and starts the next one when it is free and its
// input has arrived. Nothing here is shared with the closed forms, which it checks.
#include <algorithm>
#include <cassert>
#include <queue>
#include <tuple>

#include "planner/schedule/schedule.h"

namespace planner {

namespace {

struct Operation {
  int64_t chunk = 0, microbatch = 0;
  bool backward = false;
};
using Operations = std::vector<Operation>;

/// `warm_up` forwards, then one forward and one backward in turn, then the backwards left.
Operations warm_up_then_alternate(const Operations& forwards, const Operations& backwards, int64_t warm_up) {
  const int64_t count = static_cast<int64_t>(forwards.size());
  const int64_t ahead = std::min(warm_up, count);
  Operations list(forwards.begin(), forwards.begin() + ahead);
  for (int64_t next = 0; next < count; ++next) {
    if (next + ahead < count) list.push_back(forwards[next + ahead]);
    list.push_back(backwards[next]);
  }
  return list;
}

/// Groups of `group` microbatches, chunk by chunk; backward from the last chunk on.
Operations in_groups(int64_t chunks, int64_t microbatches, int64_t group, bool backward) {
  Operations list;
  for (int64_t begin = 0; begin < microbatches; begin += group) {
    for (int64_t c = 0; c < chunks; ++c) {
      const int64_t chunk = backward ? chunks - 1 - c : c;
      for (int64_t i = begin; i < begin + group; ++i) list.push_back({chunk, i, backward});
    }
  }
  return list;
}

int64_t warm_up_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  if (schedule == "gpipe") return shape.microbatches;
  const int64_t after = shape.stages - 1 - stage;
  return schedule == "1f1b" ? after : 2 * after + (shape.chunks - 1) * shape.stages;
}

Operations operations_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  const int64_t group = schedule == "interleaved" ? shape.stages : 1;
  return warm_up_then_alternate(in_groups(shape.chunks, shape.microbatches, group, false),
                                in_groups(shape.chunks, shape.microbatches, group, true),
                                warm_up_of(shape, schedule, stage));
}

struct Stage {
  Operations list;
  size_t next = 0;
  bool busy = false;
  double link_free[2] = {0, 0};  // forward, backward
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
  int64_t parts = 0, microbatches = 0;
  std::vector<Stage> stages{};
  std::vector<bool> arrived{};  // by message
  std::priority_queue<Happening, std::vector<Happening>, Later> queue{};
  Timeline timeline{};

  /// The message that an operation on this part of the model waits for.
  int64_t message(int64_t part, int64_t microbatch, bool backward) const {
    return ((backward ? parts : 0) + part) * microbatches + microbatch;
  }
};

/// The message goes to the next part of the model, or to the previous one; at the end of the model a forward
/// is its own backward's input.
void send(Simulation& sim, int64_t from, const Operation& op, double ready) {
  const int64_t part = op.chunk * sim.shape.stages + from;
  const bool turns = !op.backward && part == sim.parts - 1;
  const int64_t to = turns ? part : op.backward ? part - 1 : part + 1;
  if (to < 0) return;
  double time = ready;
  if (sim.shape.sends_overlap && !turns && sim.shape.stages > 1) {
    double& link_free = sim.stages[from].link_free[op.backward];
    time = link_free = std::max(link_free, ready) + sim.shape.send;
  }
  sim.queue.push({time, to % sim.shape.stages, sim.message(to, op.microbatch, op.backward || turns)});
}

/// Blocking sends hold the stage until the message has arrived.
bool holds_for_send(const Simulation& sim, int64_t part, bool backward) {
  const bool sends = backward ? part > 0 : part < sim.parts - 1;
  return sends && !sim.shape.sends_overlap && sim.shape.stages > 1;
}

void start_next(Simulation& sim, int64_t r, double now) {
  Stage& stage = sim.stages[r];
  if (stage.busy || stage.next == stage.list.size()) return;
  const Operation op = stage.list[stage.next];
  const int64_t part = op.chunk * sim.shape.stages + r;
  if (!sim.arrived[sim.message(part, op.microbatch, op.backward)]) return;
  stage.busy = true;
  ++stage.next;
  const ChunkTime& time = sim.shape.times[part];
  const double end = now + (op.backward ? time.backward : time.forward);
  sim.timeline.events.push_back({r, op.chunk, op.microbatch, op.backward, now, end});
  const double free = holds_for_send(sim, part, op.backward) ? end + sim.shape.send : end;
  sim.queue.push({free, r});
  send(sim, r, op, free);
}

Simulation prepare(const PipelineShape& shape, std::string_view schedule) {
  Simulation sim{.shape = shape};
  sim.parts = shape.stages * shape.chunks;
  sim.microbatches = shape.microbatches;
  for (int64_t r = 0; r < shape.stages; ++r) sim.stages.push_back({.list = operations_of(shape, schedule, r)});
  sim.arrived.resize(2 * sim.parts * sim.microbatches);
  for (int64_t i = 0; i < sim.microbatches; ++i) sim.arrived[sim.message(0, i, false)] = true;
  return sim;
}

void play(Simulation& sim) {
  start_next(sim, 0, 0);
  while (!sim.queue.empty()) {
    const Happening now = sim.queue.top();
    sim.queue.pop();
    if (now.message >= 0) {
      sim.arrived[now.message] = true;
    } else {
      sim.stages[now.stage].busy = false;
    }
    start_next(sim, now.stage, now.time);
  }
  assert(std::ranges::all_of(sim.stages, [](const Stage& stage) { return stage.next == stage.list.size(); }) &&
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
