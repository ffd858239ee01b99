// Memory of each stage, summed from what the workload owns and keeps (docs/models.md, memory table).
#include <algorithm>
#include <set>
#include <utility>

#include "planner/step.h"
#include "planner/workload/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

constexpr double kComputeCopy = 2;  // bytes of a gathered 16-bit parameter

double compute_copy(const Scenario& s, const Workload& w) {
  return w.width_bytes > kComputeCopy ? s.software.memory.weight : kComputeCopy;
}

void states(const Scenario& s, const StageClass& stage, StageMemory& m) {
  const MemoryHabits& habits = s.software.memory;
  auto share = [&](const Parameters& p, int64_t from_stage) {
    return s.parallelism.zero >= from_stage ? sharded(s, p) : p.sum();
  };
  m.weights = habits.weight * resident(s, stage.held);  // FSDP keeps shards from which the optimizer works
  m.gradients = habits.gradient * share(stage.trained, 2);
  m.optimizer = habits.optimizer_unsharded * stage.trained.sum();
  if (s.parallelism.servers == 0) m.optimizer += habits.optimizer * share(stage.trained, 1);
}

/// The largest layer of a stage, all its layers and the rest of it, in what is counted.
struct Units {
  double layer = 0, layers = 0, rest = 0;
  double of_layers(double count) const { return std::min(count * layer, layers); }
};
template <class Of> Units units_of(const Workload& w, const StageClass& stage, double all, Of of) {
  const Chunk held = stage.total();
  Units units;
  for (size_t i = 0; i < held.size(); ++i) {
    if (w.blocks[i].kind != BlockKind::layer || held[i] == 0) continue;
    units.layer = std::max(units.layer, of(w.blocks[i]));
    units.layers += static_cast<double>(held[i]) * of(w.blocks[i]);
  }
  units.rest = all - units.layers;
  return units;
}

// Parameters gathered while they are used, and the gradient of one unit before it is reduced.
double gathered(const Scenario& s, const Workload& w, const StageClass& stage) {
  if (!by_unit_sharding(s)) return 0;
  const Units units = units_of(w, stage, stage.held.sum(), [](const Block& block) { return block.parameters(); });
  const double parameters =
      s.parallelism.zero == 3 ? units.rest + units.of_layers(s.software.memory.gathered_units) : stage.held.sum();
  const Units trained =
      units_of(w, stage, stage.trained.sum(), [](const Block& block) { return block.trained().sum(); });
  return parameters * compute_copy(s, w) + std::max(trained.layer, trained.rest) * s.software.reduce_bytes;
}

// Moves the offloaded shares to the host. Returns the bytes of them that are on the device while they are used: as
// many layers as FSDP would have gathered.
double move_to_host(const Scenario& s, const Workload& w, const StageClass& stage, StageMemory& m) {
  const Offload share = offloaded(s);
  const MemoryHabits& habits = s.software.memory;
  const double owned = owned_parameters(s, stage);
  const double states = m.optimizer - habits.optimizer_unsharded * stage.trained.sum();
  // Where the device's weights are the masters (fp32), the host has its own copy to update.
  const double masters = habits.weight >= 4 ? std::max(0.0, share.optimizer - share.weights) * habits.weight : 0;
  m.host = share.optimizer * (states + s.software.reduce_bytes * owned) + masters * owned + share.weights * m.weights +
           share.activations * m.activations;
  const Units weights =
      units_of(w, stage, resident(s, stage.held), [&](const Block& block) { return resident(s, block.held()); });
  const Units saved = units_of(w, stage, 0, [](const Block& block) { return block.saved_bytes(); });
  const double in_use = share.weights * habits.weight * (weights.rest + weights.of_layers(habits.gathered_units)) +
                        share.activations * std::min(habits.gathered_units * saved.layer, m.activations);
  m.optimizer -= share.optimizer * states;
  m.weights *= 1 - share.weights;
  m.activations *= 1 - share.activations;
  return in_use;
}

// Where the weight-gradient GEMMs add into the gradient buffer themselves, autograd still wants a gradient from them:
// one for each shape, made once and never read (Transformer Engine, module/base.py, get_dummy_wgrad).
double stand_ins(const Scenario& s, const Workload& w, const StageClass& stage) {
  if (s.job.phase != Phase::train || !s.software.fusion.gradient || by_unit_sharding(s)) return 0;
  const Chunk held = stage.total();
  std::set<std::pair<int64_t, int64_t>> shapes;
  for (size_t i = 0; i < held.size(); ++i)
    for (const Weight& weight : w.blocks[i].weights)
      if (held[i] > 0 && weight.in > 0 && !weight.frozen) shapes.insert({weight.in, weight.out});
  double elements = 0;
  for (const auto& [in, out] : shapes) elements += static_cast<double>(in) * static_cast<double>(out);
  return s.software.memory.stand_in * elements;
}

double workspaces(const Scenario& s, const StageClass& stage) {
  return s.software.memory.workspaces.value + (stage.held.routed > 0 ? s.software.experts.workspaces.value : 0);
}

double step_copy(const Scenario& s, const StageClass& stage) {
  if (s.job.phase == Phase::forward || s.parallelism.servers > 0) return 0;
  return s.software.memory.step_copy * owned_parameters(s, stage) * (1 - s.parallelism.offload.optimizer);
}

StageMemory stage_memory(const Scenario& s, const Workload& w, int64_t r) {
  const StageClass& stage = w.classes[static_cast<size_t>(w.class_of_stage[static_cast<size_t>(r)])];
  const Chunk held = stage.total();
  StageMemory m{.stage = r};
  m.device_overhead = s.software.memory.context.value + s.software.memory.communicators.value;
  if (s.job.phase == Phase::train) {
    states(s, stage, m);
    const ScheduleRow& row = *find_schedule(schedule_name(s));
    const auto peak = row.in_flight_to_weights ? row.in_flight_to_weights : row.in_flight;
    const double in_flight = peak(r, s.parallelism.pp, s.parallelism.interleave, w.microbatches) /
                             static_cast<double>(s.parallelism.interleave);
    m.activations = in_flight * w.sum(held, [](const Block& block) { return block.saved_bytes(); });
  } else {
    m.weights = s.software.memory.weight * stage.held.sum();
  }
  const double in_use = move_to_host(s, w, stage, m);
  // The loss is over before the first layer is computed again: the larger of the two counts.
  double work = 0;
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0) work = std::max(work, w.blocks[i].recompute_working_set + w.blocks[i].transient());
  // In the optimizer step no activation is alive: what it holds counts where it exceeds them.
  m.temporary = std::max(gathered(s, w, stage) + in_use + work, step_copy(s, stage) - m.activations) +
                stand_ins(s, w, stage) + workspaces(s, stage);
  m.fragmentation = m.allocated() * (s.software.memory.fragmentation - 1);
  return m;
}

// What the ranks of the fullest node keep in its memory.
double fullest_host(const Scenario& s, const std::vector<StageMemory>& stages) {
  if (std::all_of(stages.begin(), stages.end(), [](const StageMemory& m) { return m.host == 0; })) return 0;
  const int64_t stride = stride_of(s, Dimension::pp);
  double fullest = 0;
  for (int64_t first = 0; first < s.cluster.gpus; first += s.cluster.gpus_per_node) {
    double node = 0;
    for (int64_t rank = first; rank < std::min(first + s.cluster.gpus_per_node, s.cluster.gpus); ++rank)
      node += stages[static_cast<size_t>(rank / stride % s.parallelism.pp)].host;
    fullest = std::max(fullest, node);
  }
  return fullest;
}

}  // namespace

Memory make_memory(const Scenario& s, const Workload& w) {
  Memory memory{.capacity_bytes = s.cluster.gpu.memory.value};
  for (int64_t r = 0; r < s.parallelism.pp; ++r) {
    const StageMemory m = stage_memory(s, w, r);
    memory.allocated_bytes = std::max(memory.allocated_bytes, m.allocated());
    memory.reserved_bytes = std::max(memory.reserved_bytes, m.reserved());
    memory.device_bytes = std::max(memory.device_bytes, m.total());
    memory.stages.push_back(m);
  }
  memory.peak_bytes = memory.device_bytes;
  memory.host_capacity_bytes = s.cluster.host.memory.value;
  memory.host_bytes = fullest_host(s, memory.stages);
  return memory;
}

}  // namespace planner
