// The newest torchtitan: what its command line takes, behind a function of Python with the rest (ConfigManager in
// torchtitan/config/manager.py at b5bcd76c: `--module FILE --config FUNCTION`). And the TOML of the releases before.
#include <fmt/format.h>

#include "dsl/quoting.h"
#include "planner/export/table.h"
#include "planner/import/torchtitan_table.h"

namespace planner::exporting {
namespace {

constexpr const char* kNewest =
    "# For torchtitan since 9810191b (2026-02-23), which Python configures; names of b5bcd76c (2026-08-21).\n"
    "# Releases up to 0.2.2 read TOML: --to torchtitan-toml.\n";
constexpr const char* kToml =
    "# For torchtitan up to 238fa995 (2026-02-23) and its releases up to 0.2.2, which read TOML.\n"
    "# Later ones are configured in Python: --to torchtitan.\n";

/// Whether the function says it: the command line cannot.
bool is_in_function(const std::string& name) {
  return name.starts_with("model.") || name.starts_with("activation_checkpoint.") || name == "optimizer.name" ||
         name == "parallelism.module_fqns_per_model_part";
}

std::string policy_of(const std::string& mode) {
  if (mode == "full") return "FullAC.Config()";
  return mode == "selective" ? "SelectiveAC.Config()" : "None";
}

std::string converter_of(const std::vector<Setting>& settings) {
  const std::string name = value_of(settings, "model.converters");
  if (name.empty()) return "";
  const bool is_compiled = value_of(settings, "compile.enable") == "true";
  return fmt::format(", converters=[\n        {}.Config(model_compile_enabled={})]", name,
                     is_compiled ? "True" : "False");
}

/// "[["tok_embeddings", ...]]", a line for each part: the newest calls the head by another name.
std::string parallelism_of(const std::vector<Setting>& settings) {
  std::string parts = value_of(settings, "parallelism.module_fqns_per_model_part");
  if (parts.empty()) return "";
  constexpr std::string_view kHead = "\"output\"", kIndent = "\n            ";
  parts.replace(parts.rfind(kHead), kHead.size(), "\"lm_head\"");
  for (size_t at = 0; (at = parts.find(", [", at)) != std::string::npos; ++at) parts.replace(at, 2, ",\n            ");
  return fmt::format("        parallelism=ParallelismConfig(module_fqns_per_model_part=[{}{}),\n", kIndent,
                     parts.substr(1));
}

std::string function_text(const std::vector<Setting>& settings) {
  const std::string module = value_of(settings, "model.name");
  const std::string converter = value_of(settings, "model.converters"), parts = parallelism_of(settings);
  return fmt::format(
      "from torchtitan.components.data import ConcatThenSplitPackingConfig, GrainDataLoader\n"
      "from torchtitan.components.loss import ChunkedLossWrapper, CrossEntropyLoss\n"
      "from torchtitan.components.optimizer import default_adamw\n{}{}"
      "from torchtitan.distributed.activation_checkpoint import FullAC, SelectiveAC\n"
      "from torchtitan.hf_datasets.text_datasets import DATASETS\n"
      "from torchtitan.models import {}\n"
      "from torchtitan.models.common.config_utils import decoder_vocab_size\n"
      "from torchtitan.trainer import Trainer\n\n\n"
      "def trainplan() -> Trainer.Config:\n"
      "    model_spec = {}.model_registry(\"{}\"{})\n"
      "    return Trainer.Config(\n"
      "        model_spec=model_spec,\n"
      "        activation_checkpoint={},\n{}"
      "        optimizer=default_adamw(lr=3e-4),\n"
      "        loss=ChunkedLossWrapper.Config(\n"
      "            loss_fn=CrossEntropyLoss.Config(global_vocab_size=decoder_vocab_size(model_spec))),\n"
      "        "
      "dataloader=GrainDataLoader.Config(dataset=ConcatThenSplitPackingConfig(dataset=DATASETS[\"c4_test\"])),\n"
      "    )\n",
      converter.empty() ? "" : "from torchtitan.components.quantization import " + converter + "\n",
      parts.empty() ? "" : "from torchtitan.config import ParallelismConfig\n", module, module,
      value_of(settings, "model.flavor"), converter_of(settings),
      policy_of(value_of(settings, "activation_checkpoint.mode")), parts);
}

/// The settings of the command line by their newest names. What is false is so anyway.
std::vector<Setting> command_settings(const std::vector<Setting>& settings) {
  std::vector<Setting> out;
  for (Setting setting : settings) {
    if (is_in_function(setting.name) || setting.value == "false") continue;
    if (!setting.name.starts_with("--")) setting.name = "--" + torchtitan::newest_name(setting.name);
    if (setting.value == "true") setting.value.clear();
    out.push_back(std::move(setting));
  }
  return out;
}

}  // namespace

std::string torchtitan_text(const std::vector<Setting>& settings) {
  return std::string(kNewest) +
         "# Data, learning rate and tokenizer are examples: set your own.\n"
         "cat > trainplan_config.py <<'EOF'\n" +
         function_text(settings) + "EOF\n" +
         render_launch("torchrun", {"--nproc_per_node", "--nnodes"},
                       "-m torchtitan.train --module trainplan_config --config trainplan", command_settings(settings));
}

std::string torchtitan_toml_text(const std::vector<Setting>& settings) { return kToml + render_toml(settings); }

}  // namespace planner::exporting
