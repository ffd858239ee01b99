#include "planner/export/export.h"

#include <algorithm>

#include "planner/export/table.h"

namespace planner {
namespace exporting {
namespace {

constexpr const char* kFigures[] = {
    "model.name", "model.family", "software.name", "software.release", "job.task", "job.routing.skew",
    // what the program asks of a layout
    "software.rules", "software.inner_pipeline",
    // division of stages: their layers are written instead
    "software.counts_embedding", "software.weighs_stages",
    // what the kernels and buffers of a software take: measured, not set
    "software.memory.*", "software.overlap.tensor_backward", "software.overlap.hidden_*", "software.collective_units",
    "software.fusion.norm", "software.fusion.norm_passes", "software.fusion.gradient_cast",
    "software.fusion.activation", "software.fusion.clamp", "software.fusion.heads", "software.fusion.dropout",
    "software.fusion.optimizer", "software.experts.fused_bias", "software.fusion.fan_out", "software.fusion.recurrent",
    "software.all_positions", "software.fused_latent", "software.experts.dispatch_bytes",
    "software.experts.combine_bytes", "software.experts.router_kernels", "software.experts.keeps_output",
    "software.experts.wait", "software.experts.narrow_gap", "software.experts.workspaces", "software.recompute_stops",
    "software.gather_by_broadcast", "software.ring.*", "software.gather_tensors", "software.persistence",
    "software.pads_gemms", "software.unit_bytes", "software.gathered_bytes", "software.copies_by_rank",
    "software.metric_bytes", "software.optimizer_extra_bytes", "software.optimizer_launch", "software.launch",
    "software.launch_blocking", "software.gap", "software.narrow_gap", "software.skew", "software.step_overhead",
    "software.microbatch_overhead",
    // of lists of operators, which every target refuses by themselves
    "model.image",
    // of parameter servers, which no target has
    "software.partition_bytes", "software.sums_in_node", "software.vector_slowdown", "software.straggling",
    "software.techniques", "software.instances", "model.towers", "software.errors.*"};

/// Sections whose every field has a row; the others are the machine, the models of its operators and the goal.
bool is_exported(std::string_view field) {
  constexpr std::string_view kSections[] = {"model.", "job.", "software.", "parallelism."};
  return std::any_of(std::begin(kSections), std::end(kSections),
                     [&](std::string_view section) { return field.starts_with(section); });
}

void write_fields(Writer& writer, const dsl::Record& record, std::span<const ExportRow> rows) {
  for (const ExportRow& row : rows)
    for (const auto& [path, slot] : record.slots)
      if (matches(path, row.field) && is_exported(path) && find_row(rows, path) == &row) writer.write(row, slot, path);
  // A target whose table does not name a degree has none such.
  for (const Degree& degree : degrees())
    if (const std::string path = degree_path(degree); !find_row(rows, path))
      writer.write({.field = path.c_str(), .only = "1"}, *record.find(path), path);
}

}  // namespace

std::span<const char* const> figures() { return kFigures; }

std::span<const Target> targets() {
  static const Target kTargets[] = {
      {"megatron", "Megatron-LM", "flags of pretrain_gpt.py behind torchrun", megatron_rows(), megatron_text},
      {"deepspeed", "Megatron-DeepSpeed", "DeepSpeed's JSON, and the flags of Megatron-DeepSpeed", deepspeed_rows(),
       deepspeed_text},
      {"accelerate", "FSDP under accelerate",
       "accelerate's YAML of FSDP or DeepSpeed's JSON, and a launch of a Trainer", accelerate_fsdp_rows(),
       accelerate_fsdp_text, runs_fsdp},
      {"accelerate", "DeepSpeed under accelerate", "DeepSpeed's JSON, and a launch line of a Trainer of transformers",
       accelerate_rows(), accelerate_text},
      {"torchtitan", "torchtitan", "a job's TOML", torchtitan_rows(), render_toml},
      {"nemo", "NeMo", "overrides of megatron_gpt_config.yaml", nemo_rows(), render_yaml},
      {"nemo2", "NeMo 2", "a Python script for torchrun", nemo2_rows(), nemo2_text},
      {"megatron-bridge", "Megatron-Bridge", "a Python script for torchrun", megatron_bridge_rows(),
       megatron_bridge_text}};
  return kTargets;
}

}  // namespace exporting

std::vector<ExportTarget> export_targets() {
  std::vector<ExportTarget> out;
  for (const exporting::Target& target : exporting::targets())
    if (out.empty() || std::string_view(out.back().name) != target.name) out.push_back({target.name, target.summary});
  return out;
}

std::optional<Export> export_plan(const LoadedScenario& loaded, std::string_view name, dsl::Diagnostics& diagnostics) {
  for (const exporting::Target& target : exporting::targets()) {
    if (name != target.name || (target.when && !target.when(loaded.scenario))) continue;
    const size_t before = diagnostics.list.size();
    exporting::Writer writer(loaded, target, diagnostics);
    exporting::write_fields(writer, loaded.record, target.rows);
    if (diagnostics.list.size() > before) return std::nullopt;
    std::string text = target.render(writer.settings);
    return Export{std::move(writer.settings), std::move(text)};
  }
  return std::nullopt;
}

}  // namespace planner
