#include "planner/plan/memory.h"

#include "dsl/short_list.h"
#include "planner/plan/fullest_node.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/matrices.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

constexpr double kComputeCopy = 2;  // bytes of a gathered 16-bit parameter

// Weights held in less than 16 bits are gathered in that format.
double compute_copy(const Workload& w, double held_bytes) {
  return w.width_bytes > kComputeCopy ? held_bytes : std::min(kComputeCopy, held_bytes);
}

// Bytes of a parameter that no job trains: of an adapter's base weights. Others are those of trained ones, though
// nothing may change them (tables of embeddings, which the host updates).
double frozen_bytes(const Scenario& s) {
  if (s.job.lora.rank == 0) return s.software.memory.weight;
  const double quantised = row_of(s.job.lora.base).bytes;
  return quantised > 0 ? quantised : s.software.memory.frozen;
}

// Bytes of a stage's weights, at a number of bytes per parameter. Frozen weights of layers have a type of their own;
// embedding and head keep that of trained weights.
template <class Count>
double weight_bytes(const Workload& w, const Chunk& held, double all, double weight, double frozen, Count count) {
  double narrow = 0;
  for (size_t i = 0; weight != frozen && i < held.size(); ++i)
    if (w.blocks[i].kind == BlockKind::layer && held[i] > 0)
      narrow += static_cast<double>(held[i]) * (count(w.blocks[i].held()) - count(w.blocks[i].trained()));
  return weight * (all - narrow) + frozen * narrow;
}

/// The largest layer of a stage, all its layers, the rest of it and the largest end, in the counted unit.
struct Units {
  double layer = 0, layers = 0, rest = 0, end = 0;
  double of_layers(double count) const { return std::min(count * layer, layers); }
  // Of `count` units at a time: layers, or an end and the layers beside it.
  double together(double count) const { return std::max(of_layers(count), end + of_layers(count - 1)); }
};
template <class Of> Units units_of(const Workload& w, const Chunk& held, double all, Of of) {
  Units units;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    if (w.blocks[i].kind != BlockKind::layer) {
      units.end = std::max(units.end, of(w.blocks[i]));
      continue;
    }
    units.layer = std::max(units.layer, of(w.blocks[i]));
    units.layers += static_cast<double>(held[i]) * of(w.blocks[i]);
  }
  units.rest = all - units.layers;
  return units;
}

// Parameters gathered while they are used, and the gradient of one unit before it is reduced; of all units where that
// is done once a step. A rank that holds all of them gathers nothing.
double gathered(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held) {
  if (!by_unit_sharding(s) || s.parallelism.zero_group == 1) return 0;
  const MemoryHabits& habits = s.software.memory;
  const double weight = compute_copy(w, habits.weight), frozen = compute_copy(w, frozen_bytes(s));
  const double all =
      weight_bytes(w, held, stage.held.sum(), weight, frozen, [](const Parameters& p) { return p.sum(); });
  const Units units = units_of(w, held, all, [&](const Block& block) {
    const double trained = block.trained().sum();
    return weight * trained + frozen * (block.parameters() - trained);
  });
  const bool frees = s.parallelism.zero == 3 && exchanges_units(s);
  const double in_use = habits.root_unit ? units.rest + units.of_layers(habits.gathered_units)
                                         : units.together(std::max(1.0, habits.gathered_units));
  const double copies = frees ? in_use : all;
  if (s.job.phase == Phase::forward) return copies;
  const Units trained =
      units_of(w, held, stage.trained.sum(), [](const Block& block) { return block.trained().sum(); });
  const double unit = std::max(trained.layer, habits.root_unit ? trained.rest : trained.end);
  const double gradients = exchanges_units(s) ? unit : stage.trained.sum();
  return copies + gradients * s.software.reduce_bytes;
}

// Where the weight-gradient GEMMs add into the gradient buffer themselves, autograd still wants a gradient from them:
// one for each shape, made once and never read (Transformer Engine, module/base.py, get_dummy_wgrad).
double stand_ins(const Scenario& s, const StageHoldings& stage) {
  if (s.job.phase != Phase::train || !s.software.fusion.gradient || by_unit_sharding(s)) return 0;
  return s.software.memory.stand_in * stage.matrices;
}

double workspaces(const Scenario& s, const StageHoldings& stage) {
  return s.software.memory.workspaces.value + (stage.held.routed > 0 ? s.software.experts.workspaces.value : 0);
}

double step_copy(const Scenario& s, double owned) {
  if (s.job.phase == Phase::forward || s.parallelism.servers > 0) return 0;
  return s.software.memory.step_copy * owned * (1 - s.parallelism.offload.optimizer);
}

/// What the stages of one class hold, whatever is in flight; and what depends on that.
struct ClassMemory {
  StageMemory fixed;         // without activations and what follows from them
  double activations = 0;    // of one microbatch in flight
  double offloaded = 0;      // share of the activations in host memory
  double fetched = 0;        // of them: most that is on the device at a time
  double working = 0;        // beside the activations while a block runs
  double step_copy = 0;      // in the optimizer step, when no activation is alive
  double lasting = 0;        // stand-ins, workspaces
  double fragmentation = 1;  // reserved over allocated
  bool late_gradients = false;

  double host(double in_flight) const { return fixed.host + offloaded * (in_flight * activations); }

  StageMemory with(int64_t stage, double in_flight) const {
    StageMemory m = fixed;
    m.stage = stage;
    const double saved = in_flight * activations;
    m.host = host(in_flight);
    m.activations = saved * (1 - offloaded);
    double back = offloaded * std::min(fetched, saved);  // from the host
    // Where gradients come as activations go, the larger of the two counts.
    if (late_gradients) {
      back = std::max(0.0, back - std::max(0.0, m.gradients - m.activations));
      m.activations = std::max(0.0, m.activations - m.gradients);
    }
    // What the optimizer step needs counts where it exceeds the activations.
    m.temporary = std::max(working + back, step_copy - m.activations) + lasting;
    m.fragmentation = m.allocated() * (fragmentation - 1);
    return m;
  }
};

// FSDP keeps shards from which the optimizer works.
double held_weights(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held) {
  const MemoryHabits& habits = s.software.memory;
  return weight_bytes(w, held, resident(s, stage.held), habits.weight, frozen_bytes(s),
                      [&](const Parameters& p) { return resident(s, p); });
}

constexpr double kAdamStates = 8;  // of what a profile counts; less where it counts less

// Masters and states, sharded. The optimizer that a profile has in mind is Adam, if it says no other.
double optimizer_bytes(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held,
                       double owned) {
  const double habit = s.software.memory.optimizer;
  if (!row_of(s.job.optimizer).states_of_its_own) return habit * owned;
  return std::max(0.0, habit - kAdamStates) * owned + state_bytes(s, w.blocks, stage, held);
}

void states(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held, double owned,
            StageMemory& m) {
  const MemoryHabits& habits = s.software.memory;
  m.gradients = habits.gradient * (shards_gradients(s) ? sharded(s, stage.trained) : stage.trained.sum());
  // Whole gradients of the microbatches that are not reduced (PyTorch FSDP, no_sync).
  if (s.software.fsdp && shards_gradients(s) && !s.software.reduce_each_microbatch && microbatches_of(s) > 1)
    m.gradients += s.software.reduce_bytes * stage.trained.sum();
  m.optimizer = habits.optimizer_unsharded * stage.trained.sum();
  if (s.parallelism.servers == 0) m.optimizer += optimizer_bytes(s, w, stage, held, owned);
}

// The part of a stage's activations that the modules name.
double movable_share(const Workload& w, const StageHoldings& stage, const Chunk& held) {
  const double movable = w.sum(held, [](const Block& block) { return block.host_bytes; });
  return stage.saved_bytes > 0 ? std::min(1.0, movable / stage.saved_bytes) : 0;
}

// Moves the offloaded shares to the host, but for the layers that are used: as many as FSDP would have gathered.
void move_to_host(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held, double owned,
                  ClassMemory& c) {
  const Offload share = offloaded(s);
  const MemoryHabits& habits = s.software.memory;
  StageMemory& m = c.fixed;
  const bool paged = row_of(s.job.optimizer).paged;  // states alone, which the GPU updates
  const double states =
      paged ? state_bytes(s, w.blocks, stage, held) : m.optimizer - habits.optimizer_unsharded * stage.trained.sum();
  // Where the device's weights are the masters (fp32), the host has its own copy to update.
  const double masters =
      habits.weight >= 4 && !paged ? std::max(0.0, share.optimizer - share.weights) * habits.weight : 0;
  const double gradients = paged ? 0 : s.software.reduce_bytes * owned;
  m.host = share.optimizer * (states + gradients) + masters * owned + share.weights * m.weights;
  const Units weights = units_of(w, held, m.weights, [&](const Block& block) {
    const double trained = resident(s, block.trained());
    return habits.weight * trained + frozen_bytes(s) * (resident(s, block.held()) - trained);
  });
  const Units saved = units_of(w, held, 0, [&](const Block& block) { return movable_bytes(s, block); });
  const double movable = offloads_modules(s) ? movable_share(w, stage, held) : 1;
  c.working += share.weights * (weights.rest + weights.of_layers(habits.gathered_units));
  c.fetched = movable > 0 ? habits.gathered_units * saved.layer / movable : 0;
  c.offloaded = share.activations * movable;
  m.optimizer -= share.optimizer * states;
  // Sharded gradients follow as they are reduced (DeepSpeed zero/stage3.py, async_inplace_copy_grad_to_fp32_buffer;
  // PyTorch FSDP2, CPUOffloadPolicy).
  if (s.parallelism.zero >= 2 && s.software.reduce_each_microbatch && !paged) m.gradients *= 1 - share.optimizer;
  m.weights *= 1 - share.weights;
}

ClassMemory class_memory(const Scenario& s, const Workload& w, const StageHoldings& stage, const Chunk& held,
                         const ShardCounts& owners) {
  ClassMemory c{.fragmentation = s.software.memory.fragmentation};
  c.fixed.device_overhead = s.software.memory.context.value + s.software.memory.communicators.value;
  const bool trains = s.job.phase == Phase::train;
  const double owned = owners.part_of(stage.trained);
  c.fixed.weights = held_weights(s, w, stage, held);
  if (trains) {
    states(s, w, stage, held, owned, c.fixed);
    c.activations = stage.saved_bytes;
    c.late_gradients = makes_gradients_late(s);
  } else {
    c.fixed.weights *= static_cast<double>(s.software.instances);
  }
  // The loss is over before the first layer is computed again: the larger of the two counts.
  c.working = (gathered(s, w, stage, held) + stage.working_bytes) * static_cast<double>(s.software.instances);
  if (moves_to_host(s)) move_to_host(s, w, stage, held, owned, c);
  c.step_copy = step_copy(s, owned);
  c.lasting = stand_ins(s, stage) + workspaces(s, stage);
  return c;
}

template <class Holdings> std::vector<ClassMemory> classes_of(const Scenario& s, const Workload& w,
                                                              const StageDeal& deal, const Holdings& holdings) {
  const ShardCounts owners = owner_counts(s);
  std::vector<ClassMemory> made;
  made.reserve(deal.classes.size());
  for (size_t i = 0; i < deal.classes.size(); ++i)
    made.push_back(class_memory(s, w, holdings[i], deal.classes[i].total, owners));
  return made;
}

/// Calls visit(stage, its class, microbatches in flight) for every stage.
template <class Visit>
void each_stage(const Scenario& s, const StageDeal& deal, const std::vector<ClassMemory>& made, Visit visit) {
  const ScheduleRow& row = *deal.schedule;
  const auto peak = row.in_flight_to_weights ? row.in_flight_to_weights : row.in_flight;
  const double chunks = static_cast<double>(s.parallelism.interleave);
  const int64_t microbatches = microbatches_of(s);
  for (int64_t r = 0; r < s.parallelism.pp; ++r) {
    const auto k = static_cast<size_t>(deal.class_of_stage[static_cast<size_t>(r)]);
    const bool saves = made[k].activations > 0;
    visit(r, k, saves ? peak(r, s.parallelism.pp, s.parallelism.interleave, microbatches) / chunks : 0);
  }
}

/// Of a class the stage with most in flight holds most on its device.
void take_device(MemoryPeaks& peaks, const StageMemory& m) {
  peaks.allocated_bytes = std::max(peaks.allocated_bytes, m.allocated());
  peaks.reserved_bytes = std::max(peaks.reserved_bytes, m.reserved());
  peaks.device.peak_bytes = std::max(peaks.device.peak_bytes, m.total());
}

void offer(MemoryUse& use, double capacity_bytes, const MemoryError& error, double fit) {
  use.capacity_bytes = capacity_bytes;
  use.error = error;
  use.usable_bytes = most_bytes(error, fit, capacity_bytes);
}

MemoryPeaks peaks_of(const Scenario& s, const StageDeal& deal, const std::vector<ClassMemory>& made) {
  dsl::ShortList<double, 4> most;
  most.resize(made.size());
  std::vector<double> host;  // by stage; empty: none
  each_stage(s, deal, made, [&](int64_t stage, size_t k, double in_flight) {
    most[k] = std::max(most[k], in_flight);
    const double bytes = made[k].host(in_flight);
    if (bytes == 0 && host.empty()) return;
    host.resize(static_cast<size_t>(stage));
    host.push_back(bytes);
  });
  MemoryPeaks peaks;
  for (size_t k = 0; k < made.size(); ++k) take_device(peaks, made[k].with(0, most[k]));
  offer(peaks.device, s.cluster.gpu.memory.value, memory_error(s), s.goal.fit);
  peaks.host.capacity_bytes = s.cluster.host.memory.value;
  if (host.empty()) return peaks;
  offer(peaks.host, s.cluster.host.memory.value, host_memory_error(s), s.goal.fit);
  peaks.host.peak_bytes = fullest_node(host, stride_of(s, &Degrees::pp), s.cluster.gpus, s.cluster.gpus_per_node);
  return peaks;
}

}  // namespace

bool makes_gradients_late(const Scenario& s) {
  return s.software.memory.late_gradients && s.parallelism.pp == 1 && microbatches_of(s) == 1;
}

MemoryPeaks make_memory_peaks(const Scenario& s, const Workload& blocks, const StageDeal& deal,
                              std::span<const StageHoldings> holdings) {
  return peaks_of(s, deal, classes_of(s, blocks, deal, holdings));
}

Memory make_memory(const Scenario& s, const Workload& w) {
  const std::vector<ClassMemory> made = classes_of(s, w, w.deal, w.classes);
  Memory memory{peaks_of(s, w.deal, made), {}};
  each_stage(s, w.deal, made, [&](int64_t stage, size_t k, double in_flight) {
    memory.stages.push_back(made[k].with(stage, in_flight));
  });
  return memory;
}

}  // namespace planner
