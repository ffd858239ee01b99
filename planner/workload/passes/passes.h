// Lowering and the ordered table of passes.
#pragma once

#include <span>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// The unsharded step: shapes for one microbatch, weights and saved activations of each block.
Workload lower(const Scenario& scenario);

/// The target of a pass; they apply in this order.
enum class PassOf {
  blocks,  // one microbatch of a layer, embedding or head
  stages,  // deals blocks to stages
  units,   // puts operators behind those of a block, whatever these are
  steps,   // once-a-step work of a stage
};
struct PassRow {
  const char* name;
  const char* summary;  // its changes
  void (*apply)(const Scenario&, Workload&);
  PassOf of = PassOf::blocks;
  bool (*acts)(const Scenario&) = nullptr;  // whether it does anything; null: it looks itself
};
/// In the order they apply: phase, context, tables, experts, adapters, tensor, fused, ungroup, recompute, fusion,
/// pipeline, units, host-layers, data, optimizer, offload, near-memory.
std::span<const PassRow> passes();

/// lower, then the passes of blocks.
Workload build_blocks(const Scenario& scenario);
/// The passes of units. They read of a block its kind, its weights and how much it saves, and of its operators nothing
/// but edges.
void build_units(const Scenario& scenario, Workload& workload);
/// Returns whether any of them does anything.
bool has_units(const Scenario& scenario);
/// The passes of steps. REQUIRES: the stages are dealt.
void build_step_ops(const Scenario& scenario, Workload& workload);
/// lower, then every pass. REQUIRES: no layout violation (violations.h).
Workload build_workload(const Scenario& scenario);

/// A rank holds shards of each unit's parameters (ZeRO-3, FSDP).
bool by_unit_sharding(const Scenario& scenario);
/// They are gathered and their gradients reduced in every microbatch, not once in a step of a pipeline.
bool exchanges_units(const Scenario& scenario);
/// A rank holds its shard of the gradients alone between microbatches.
bool shards_gradients(const Scenario& scenario);
/// Ranks among which parameters are divided.
struct ShardCounts {
  double common = 1, routed = 1;
  double part_of(const Parameters& p) const { return p.common / common + (p.routed > 0 ? p.routed / routed : 0); }
};
ShardCounts shard_counts(const Scenario& scenario);
/// A rank's part of parameters that are divided among their shard groups.
double sharded(const Scenario& scenario, const Parameters& parameters);
/// The same of parameters whose optimizer states are held: without ZeRO they are not divided.
ShardCounts owner_counts(const Scenario& scenario);
/// Parameters whose optimizer states a rank of this stage holds.
double owned_parameters(const Scenario& scenario, const StageHoldings& stage);
/// A rank's part of these weights between microbatches: its shard when ZeRO-3 or FSDP trains, else all.
double resident(const Scenario& scenario, const Parameters& weights);
/// Where gradients (parameters) hide by the software's habits: `where`, or under nothing.
Hide gradients_under(const Scenario& scenario, Hide where);
Hide parameters_under(const Scenario& scenario, Hide where);
/// The shares that this job moves to host memory: without a backward pass there are weights only.
Offload offloaded(const Scenario& scenario);
/// Parameter servers in place of the gradient collectives (servers.cc). REQUIRES: servers > 0.
void exchange_with_servers(const Scenario& scenario, Workload& workload);

/// Units are gathered or reduced in every microbatch; layers are moved to host memory and back.
bool works_on_units(const Scenario& scenario);
bool moves_layers(const Scenario& scenario);
/// This job moves anything to host memory.
bool moves_to_host(const Scenario& scenario);

// The passes, one file each.
void apply_context(const Scenario& scenario, Workload& workload);
void apply_tables(const Scenario& scenario, Workload& workload);
void apply_experts(const Scenario& scenario, Workload& workload);
void apply_adapters(const Scenario& scenario, Workload& workload);
void apply_tensor(const Scenario& scenario, Workload& workload);
void apply_fused(const Scenario& scenario, Workload& workload);
void apply_ungroup(const Scenario& scenario, Workload& workload);
void apply_recompute(const Scenario& scenario, Workload& workload);
void apply_fusion(const Scenario& scenario, Workload& workload);
void apply_pipeline(const Scenario& scenario, Workload& workload);
/// The last part of it. `width_bytes`: of an activation element.
Boundary boundary_of(const Scenario& scenario, double width_bytes);
int64_t microbatches_of(const Scenario& scenario);
void apply_units(const Scenario& scenario, Workload& workload);
void apply_host_layers(const Scenario& scenario, Workload& workload);
/// Sets `Block::host_bytes`, where only the activations of some modules are offloaded.
void apply_host_modules(const Scenario& scenario, Workload& workload);
bool offloads_modules(const Scenario& scenario);
/// Returns the bytes that the block keeps and that may go to host memory.
double movable_bytes(const Scenario& scenario, const Block& block);
void apply_data(const Scenario& scenario, Workload& workload);
void apply_optimizer(const Scenario& scenario, Workload& workload);
void apply_offload(const Scenario& scenario, Workload& workload);
void apply_near_memory(const Scenario& scenario, Workload& workload);

}  // namespace planner
