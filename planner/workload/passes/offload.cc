// Host memory as a second level. States (ZeRO-Offload: Ren et al. 2021, arXiv:2101.06840, section 4): a rank's reduced
// gradients go down as backward yields them, the host updates its share, and each piece goes up while the host works
// on the next (section 5.1). Weights and activations (ZeRO-Infinity: Rajbhandari et al. 2021, arXiv:2104.07857,
// sections 5 and 6): layer by layer, under the work of the layers beside it.
#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "planner/workload/insert.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

using operator_models::HostUpdate;

WorkOp copy(const Label& name, StepPhase phase, Hide hide, HostDirection direction, double bytes) {
  return {.name = name,
          .phase = phase,
          .sublayer = Sublayer::offload,
          .op = HostCopy{.bytes = {bytes}, .direction = direction},
          .purpose = Purpose::host,
          .hide = hide};
}

bool moves(const WorkOp& copy) { return std::get<HostCopy>(copy.op).bytes.value > 0; }

void add(std::vector<WorkOp>& ops, WorkOp w) {
  if (moves(w)) ops.push_back(std::move(w));
}

// Weights that stay between forward and backward of a microbatch: FSDP's root unit, and all that it does not reshard.
bool stays(const Scenario& s, const Block& block) {
  return !block.is_layer() || (by_unit_sharding(s) && (s.parallelism.zero != 3 || !exchanges_units(s)));
}

// They are there before the pass begins.
void fetch(Inserter& put, WorkOp copy) {
  if (moves(copy)) put.add_first(std::move(copy));
}

void fetch_weights(const Scenario& s, const Block& block, Inserter& put, double share) {
  const double bytes = share * s.software.memory.weight * resident(s, block.held(ends_together(s)));
  const bool backward = s.job.phase == Phase::train && !stays(s, block);
  fetch(put, copy("offload.weights", StepPhase::forward, Hide::block, HostDirection::to_device, bytes));
  if (backward) fetch(put, copy("offload.weights", StepPhase::backward, Hide::block, HostDirection::to_device, bytes));
}

// The last kept tensor is sent when the pass has made its result.
void store_activations(const Scenario& s, const Block& block, Inserter& put, double share) {
  const double bytes = share * movable_bytes(s, block);
  WorkOp away = copy("offload.activations", StepPhase::forward, Hide::block, HostDirection::to_host, bytes);
  for (int i = 0; i < put.size(); ++i)
    if (put[i].result && put[i].phase == StepPhase::forward) away.inputs.push_back(i);
  if (moves(away)) put.add(std::move(away));
  fetch(put, copy("offload.activations", StepPhase::backward, Hide::block, HostDirection::to_device, bytes));
}

// The host takes its share of every optimizer kernel.
void share_updates(StageClass& c, double share) {
  std::vector<WorkOp> ops, host;
  for (WorkOp& w : c.step_ops) {
    auto* device = std::get_if<Update>(&w.op);
    if (device) {
      WorkOp part = w;
      part.name = "offload." + w.name;
      part.op = HostUpdate{*device};
      std::get<HostUpdate>(part.op).update.parameters *= share;
      host.push_back(std::move(part));
      device->parameters *= 1 - share;
    }
    if (!device || device->parameters > 0) ops.push_back(std::move(w));
  }
  ops.insert(ops.end(), std::make_move_iterator(host.begin()), std::make_move_iterator(host.end()));
  c.step_ops = std::move(ops);
}

// Updated parameters go where they live. States and weights of the same parameters are offloaded, as far as both are.
// ZeRO-1 and 2 gather all of them on the devices in between.
void return_parameters(const Scenario& s, StageClass& c, const Offload& share) {
  const bool gathered = s.parallelism.zero > 0 && resident(s, c.trained) > owned_parameters(s, c);
  const double weight = s.software.memory.weight, owned = weight * owned_parameters(s, c);
  const double up = gathered ? share.optimizer * owned : std::max(0.0, share.optimizer - share.weights) * owned;
  const double down = gathered ? share.weights * weight * resident(s, c.trained)
                               : std::max(0.0, share.weights - share.optimizer) * owned;
  add(c.step_ops, copy("offload.parameters", StepPhase::optimizer, Hide::host_update, HostDirection::to_device, up));
  if (s.parallelism.servers == 0)  // which send to where the weights live
    add(c.step_ops, copy("offload.updated", StepPhase::optimizer, Hide::nothing, HostDirection::to_host, down));
}

// Pages of states come to the GPU, which updates them, and go back (Dettmers et al. 2023, arXiv:2305.14314, section 3).
// Nothing runs meanwhile: the kernel that touches a page waits for it.
void page_states(const Scenario& s, StageClass& c, double share) {
  const double bytes = share * row_of(s.job.optimizer).states.parameter * owned_parameters(s, c);
  for (const HostDirection way : {HostDirection::to_device, HostDirection::to_host})
    add(c.step_ops, copy(way == HostDirection::to_device ? Label("offload.pages-in") : Label("offload.pages-out"),
                         StepPhase::optimizer, Hide::nothing, way, bytes));
}

void offload_states(const Scenario& s, StageClass& c, const Offload& share) {
  if (row_of(s.job.optimizer).paged) return page_states(s, c, share.optimizer);
  if (share.optimizer > 0) {
    const double gradients = share.optimizer * owned_parameters(s, c) * s.software.reduce_bytes;
    add(c.step_ops, copy("offload.gradients", StepPhase::backward, gradients_under(s, Hide::last_backward),
                         HostDirection::to_host, gradients));
    share_updates(c, share.optimizer);
  }
  return_parameters(s, c, share);
}

}  // namespace

Offload offloaded(const Scenario& s) {
  if (s.job.phase == Phase::train) return s.parallelism.offload;
  return {.optimizer = 0, .weights = s.parallelism.offload.weights, .activations = 0};
}

bool moves_layers(const Scenario& s) {
  const Offload& share = s.parallelism.offload;
  return share.weights > 0 || (share.activations > 0 && s.job.phase == Phase::train);
}

bool moves_to_host(const Scenario& s) {
  return moves_layers(s) || (s.parallelism.offload.optimizer > 0 && s.job.phase == Phase::train);
}

void apply_host_layers(const Scenario& s, Workload& w) {
  const Offload share = offloaded(s);
  for (Block& block : w.blocks) {
    Inserter put(block);
    if (share.weights > 0) fetch_weights(s, block, put, share.weights);
    if (share.activations > 0) store_activations(s, block, put, share.activations);
    put.finish();
  }
}

void apply_offload(const Scenario& s, Workload& w) {
  const Offload share = offloaded(s);
  if (s.job.phase == Phase::forward) return;
  for (StageClass& c : w.classes) offload_states(s, c, share);
}

}  // namespace planner
