#include "planner/search/readers.h"

#include <algorithm>
#include <array>

namespace planner {
namespace {

struct ReaderRow {
  std::string_view path;
  uint32_t parts;
  bool through_blocks = false;  // acts_through_blocks
};

constexpr std::array kRows{
    ReaderRow{"job.global_batch", kPipeline | kMemory | kFlops},
    ReaderRow{"job.tokens", 0},
    ReaderRow{"job.optimizer", kStepOps | kMemory},
    ReaderRow{"job.muon.mode", kStepOps},
    ReaderRow{"job.muon.steps", kStepOps},
    ReaderRow{"parallelism.pp", kPlacement | kStages | kCrossing | kStepOps | kMemory | kShards},
    ReaderRow{"parallelism.dp", kPlacement | kCrossing | kPipeline | kStepOps | kMemory | kShards},
    ReaderRow{"parallelism.interleave", kStages | kStepOps | kMemory},
    ReaderRow{"parallelism.microbatch", kBlocks | kCrossing | kPipeline | kMemory},
    ReaderRow{"parallelism.sequence_parallel", kBlocks | kCrossing | kPipeline | kMemory, true},
    ReaderRow{"parallelism.zero", kStepOps | kMemory | kUnits},
    ReaderRow{"parallelism.zero_group", kStepOps | kMemory | kShards},
    ReaderRow{"parallelism.expert_zero_group", kStepOps | kMemory | kShards},
    ReaderRow{"parallelism.recompute", kBlocks | kMemory, true},
    ReaderRow{"parallelism.recompute_every", kBlocks | kMemory},
    ReaderRow{"parallelism.recompute_layers", kBlocks | kMemory},
    ReaderRow{"parallelism.schedule", kStages | kStepOps | kMemory},
    ReaderRow{"parallelism.order", kPlacement | kCrossing | kPipeline | kStepOps | kShards},
    ReaderRow{"parallelism.stages", kStages | kStepOps | kMemory},
    ReaderRow{"cluster.gpus", kPlacement | kCrossing | kPipeline | kStepOps | kMemory | kShards},
    ReaderRow{"parallelism.offload.optimizer", kStepOps | kMemory},
    ReaderRow{"parallelism.offload.weights", kUnits | kStepOps | kMemory},
    ReaderRow{"parallelism.offload.activations", kUnits | kMemory},
    ReaderRow{"cluster.gpu.memory", kMemory},
    ReaderRow{"goal.fit", kMemory},
    ReaderRow{"cluster.gpu.memory_bandwidth", kBlocks | kUnits | kStepOps},
    ReaderRow{"cluster.network[*].bandwidth", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    ReaderRow{"cluster.network[*].latency", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    ReaderRow{"cluster.network[*].wiring", kBlocks | kUnits | kCrossing | kPipeline | kStepOps},
    ReaderRow{"cluster.price", 0},
    ReaderRow{"cluster.price_terms.contract", 0},
    ReaderRow{"cluster.purchase.gpu_price", 0},
    ReaderRow{"cluster.purchase.node_price", 0},
    ReaderRow{"cluster.purchase.amortisation", 0},
    ReaderRow{"cluster.purchase.utilisation", 0},
    ReaderRow{"cluster.spares", 0},
    ReaderRow{"cluster.power_price", 0},
    ReaderRow{"cluster.pue", 0},
    ReaderRow{"cluster.carbon", 0},
    ReaderRow{"cluster.mtbf", 0},
    ReaderRow{"cluster.node_failures", 0},
    ReaderRow{"cluster.checkpoint.save", 0},
    ReaderRow{"cluster.checkpoint.background", 0},
    ReaderRow{"cluster.checkpoint.interval", 0},
    ReaderRow{"cluster.checkpoint.detect", 0},
    ReaderRow{"cluster.checkpoint.restart", 0},
    ReaderRow{"cluster.checkpoint.repair", 0},
    ReaderRow{"cluster.checkpoint.formula", 0},
    ReaderRow{"software.attention", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.qkv", kBlocks | kStepOps | kMemory},  // how many weights there are
    ReaderRow{"software.fusion.gradient", kBlocks | kMemory},        // the memory of a stage reads it
    ReaderRow{"software.fusion.optimizer", kStepOps},
    ReaderRow{"software.fusion.bias_activation", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.bias_dropout_add", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.cross_entropy", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.dropout", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.norm", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.norm_passes", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.softmax", kBlocks | kMemory, true},
    ReaderRow{"software.fusion.vector", kBlocks | kMemory, true},
    ReaderRow{"software.schedule", kStages | kStepOps | kMemory},
    ReaderRow{"software.overlap.tensor", kBlocks, true},
    ReaderRow{"software.overlap.tensor_backward", kBlocks, true},
    ReaderRow{"software.overlap.gradients", kStepOps | kUnits, true},
    ReaderRow{"software.overlap.parameters", kStepOps | kUnits, true},
    ReaderRow{"software.overlap.pipeline", kPipeline, true},
    ReaderRow{"software.concurrency", kBlocks, true},
    ReaderRow{"software.optimizer_on", kStepOps},
    ReaderRow{"software.optimizer_launch", kStepOps},
    ReaderRow{"cluster.gpu.near_memory.registers", kStepOps},
    ReaderRow{"software.fused_collectives", kBlocks, true},
    ReaderRow{"software.collective_units", kBlocks, true},
    ReaderRow{"software.reduce_scatter", kStepOps, true},
    ReaderRow{"software.bucket_bytes", kStepOps, true},
    ReaderRow{"software.partition_bytes", kStepOps, true},
    ReaderRow{"software.sums_in_node", kStepOps, true},
    ReaderRow{"software.straggling", 0},
    ReaderRow{"software.step_overhead", 0},
    ReaderRow{"software.microbatch_overhead", 0},
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
static const ReaderRow* find_row(std::string_view path) {
  const auto* row = std::ranges::find_if(kRows, [&](const ReaderRow& r) { return is_field_of(path, r.path); });
  return row != kRows.end() ? row : nullptr;
}

bool acts_through_blocks(std::string_view path) {
  const ReaderRow* row = find_row(path);
  return row && row->through_blocks;
}

bool is_host_share(std::string_view path) {
  return path == "parallelism.offload.optimizer" || path == "parallelism.offload.activations";
}

uint32_t readers_of(std::string_view path) {
  if (const ReaderRow* row = find_row(path)) return row->parts;
  // Only the model and the job decide what the model computes.
  return path.starts_with("model.") || path.starts_with("job.") ? kAll : kAll & ~kFlops;
}

std::span<const std::string_view> read_fields() { return kPaths; }

}  // namespace planner
