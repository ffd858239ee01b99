#include "planner/search/readers.h"

#include <algorithm>
#include <array>

namespace planner {
namespace {

struct Row {
  std::string_view path;
  uint32_t parts;
  bool through_blocks = false;  // acts_through_blocks
};

constexpr std::array kRows{
    Row{"job.global_batch", kPipeline | kMemory | kFlops},
    Row{"job.tokens", 0},
    Row{"job.optimizer", kStepOps | kMemory},
    Row{"job.muon.*", kStepOps},
    Row{"parallelism.pp", kPlacement | kStages | kCrossing | kStepOps | kMemory | kShards},
    Row{"parallelism.dp", kPlacement | kCrossing | kPipeline | kStepOps | kMemory | kShards},
    Row{"parallelism.interleave", kStages | kStepOps | kMemory},
    Row{"parallelism.microbatch", kBlocks | kCrossing | kPipeline | kMemory},
    Row{"parallelism.sequence_parallel", kBlocks | kCrossing | kPipeline | kMemory, true},
    Row{"parallelism.zero", kStepOps | kMemory | kUnits},
    Row{"parallelism.zero_group", kStepOps | kMemory | kShards},
    Row{"parallelism.expert_zero_group", kStepOps | kMemory | kShards},
    Row{"parallelism.recompute", kBlocks | kMemory, true},
    Row{"parallelism.recompute_every", kBlocks | kMemory},
    Row{"parallelism.recompute_layers", kBlocks | kMemory},
    Row{"parallelism.schedule", kStages | kStepOps | kMemory},
    Row{"parallelism.order", kPlacement | kCrossing | kPipeline | kStepOps | kShards},
    Row{"parallelism.stages", kStages | kStepOps | kMemory},
    Row{"cluster.gpus", kPlacement | kCrossing | kPipeline | kStepOps | kMemory | kShards},
    Row{"parallelism.offload.optimizer", kStepOps | kMemory},
    Row{"parallelism.offload.weights", kUnits | kStepOps | kMemory},
    Row{"parallelism.offload.activations", kUnits | kMemory},
    Row{"cluster.gpu.memory", kMemory},
    Row{"goal.fit", kMemory},
    Row{"cluster.gpu.memory_bandwidth", kBlocks | kUnits | kStepOps},
    Row{"cluster.network[*].bandwidth", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    Row{"cluster.network[*].latency", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    Row{"cluster.network[*].wiring", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    Row{"cluster.price", 0},
    Row{"cluster.price_terms.contract", 0},
    Row{"cluster.purchase.gpu_price", 0},
    Row{"cluster.purchase.node_price", 0},
    Row{"cluster.purchase.amortisation", 0},
    Row{"cluster.purchase.utilisation", 0},
    Row{"cluster.spares", 0},
    Row{"cluster.power_price", 0},
    Row{"cluster.pue", 0},
    Row{"cluster.carbon", 0},
    Row{"cluster.mtbf", 0},
    Row{"cluster.checkpoint.save", 0},
    Row{"cluster.checkpoint.background", 0},
    Row{"cluster.checkpoint.interval", 0},
    Row{"cluster.checkpoint.detect", 0},
    Row{"cluster.checkpoint.restart", 0},
    Row{"cluster.checkpoint.repair", 0},
    Row{"cluster.checkpoint.formula", 0},
    Row{"software.attention", kBlocks | kMemory, true},
    Row{"software.fusion.qkv", kBlocks | kStepOps | kMemory},  // how many weights there are
    Row{"software.fusion.gradient", kBlocks | kMemory},        // the memory of a stage reads it
    Row{"software.fusion.optimizer", kStepOps},
    Row{"software.fusion.*", kBlocks | kMemory, true},
    Row{"software.schedule", kStages | kStepOps | kMemory},
    Row{"software.overlap.tensor", kBlocks, true},
    Row{"software.overlap.tensor_backward", kBlocks, true},
    Row{"software.overlap.gradients", kStepOps | kUnits, true},
    Row{"software.overlap.parameters", kStepOps | kUnits, true},
    Row{"software.overlap.pipeline", kPipeline, true},
    Row{"software.concurrency", kBlocks, true},
    Row{"software.optimizer_on", kStepOps},
    Row{"software.optimizer_launch", kStepOps},
    Row{"cluster.gpu.near_memory.*", kStepOps},
    Row{"software.fused_collectives", kBlocks, true},
    Row{"software.collective_units", kBlocks, true},
    Row{"software.reduce_scatter", kStepOps, true},
    Row{"software.bucket_bytes", kStepOps, true},
    Row{"software.partition_bytes", kStepOps, true},
    Row{"software.sums_in_node", kStepOps, true},
    Row{"software.straggling", 0},
    Row{"software.step_overhead", 0},
    Row{"software.microbatch_overhead", 0},
};

constexpr std::array kPaths = [] {
  std::array<std::string_view, kRows.size()> paths;
  for (size_t i = 0; i < kRows.size(); ++i) paths[i] = kRows[i].path;
  return paths;
}();

constexpr uint32_t kAll =
    kPlacement | kBlocks | kStages | kCrossing | kPipeline | kStepOps | kMemory | kFlops | kShards | kUnits;

}  // namespace

bool is_field_of(std::string_view path, std::string_view row) {
  const size_t star = row.find('*');
  if (star == row.npos) return path == row;
  return path.size() >= row.size() && path.starts_with(row.substr(0, star)) && path.ends_with(row.substr(star + 1));
}

// The first row that names the field; null: none does.
static const Row* find_row(std::string_view path) {
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return is_field_of(path, r.path); });
  return row != kRows.end() ? row : nullptr;
}

bool acts_through_blocks(std::string_view path) {
  const Row* row = find_row(path);
  return row && row->through_blocks;
}

bool is_host_share(std::string_view path) {
  return path == "parallelism.offload.optimizer" || path == "parallelism.offload.activations";
}

uint32_t readers_of(std::string_view path) {
  if (const Row* row = find_row(path)) return row->parts;
  // Only the model and the job decide what the model computes.
  return path.starts_with("model.") || path.starts_with("job.") ? kAll : kAll & ~kFlops;
}

std::span<const std::string_view> read_fields() { return kPaths; }

}  // namespace planner
