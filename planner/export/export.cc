#include "planner/export/export.h"

#include "planner/export/habits.h"
#include "planner/export/table.h"

namespace planner {
namespace exporting {

std::span<const Target> targets() {
  static const Target kTargets[] = {
      {"megatron", "Megatron-LM", "flags of pretrain_gpt.py behind torchrun", "megatron-core", megatron_rows(),
       megatron_text},
      {"deepspeed", "Megatron-DeepSpeed", "DeepSpeed's JSON, and the flags of Megatron-DeepSpeed", "megatron-deepspeed",
       deepspeed_rows(), deepspeed_text},
      {"accelerate", "FSDP under accelerate",
       "accelerate's YAML of FSDP or DeepSpeed's JSON, and a launch of a Trainer", "transformers",
       accelerate_fsdp_rows(), accelerate_fsdp_text, runs_fsdp},
      {"accelerate", "DeepSpeed under accelerate", "DeepSpeed's JSON, and a launch line of a Trainer of transformers",
       "deepspeed", accelerate_rows(), accelerate_text},
      {"torchtitan", "torchtitan", "a configuration in Python and a launch line", "torchtitan", torchtitan_rows(),
       torchtitan_text},
      {"torchtitan-toml", "torchtitan of TOML", "a job's TOML, for releases up to 0.2.2", "torchtitan",
       torchtitan_toml_rows(), torchtitan_toml_text},
      {"nemo", "NeMo", "overrides of megatron_gpt_config.yaml", "nemo", nemo_rows(), render_yaml},
      {"nemo2", "NeMo 2", "a Python script for torchrun", "nemo", nemo2_rows(), nemo2_text},
      {"megatron-bridge", "Megatron-Bridge", "a Python script for torchrun", "megatron-bridge", megatron_bridge_rows(),
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

std::vector<std::string> settings_of_field(std::string_view field) {
  std::vector<std::string> out;
  for (const exporting::Target& target : exporting::targets())
    if (const exporting::ExportRow* row = exporting::find_row(target.rows, field); row && row->name)
      out.push_back(std::string(target.name) + " " + row->name);
  return out;
}

std::optional<Export> export_plan(const LoadedScenario& loaded, std::string_view name, dsl::Diagnostics& diagnostics) {
  for (const exporting::Target& target : exporting::targets()) {
    if (name != target.name || (target.when && !target.when(loaded.scenario))) continue;
    const size_t before = diagnostics.list.size();
    const exporting::ProgramHabits habits(loaded, target.software);
    exporting::Writer writer(loaded, target, habits, diagnostics);
    writer.write_all();
    if (diagnostics.list.size() > before) return std::nullopt;
    std::string text = writer.notes() + target.render(writer.settings);
    return Export{std::move(writer.settings), std::move(text)};
  }
  return std::nullopt;
}

}  // namespace planner
