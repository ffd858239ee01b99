#include "planner/import/run_kinds.h"

#include <algorithm>
#include <sstream>

#include "dsl/json.h"
#include "dsl/raw_text.h"
#include "dsl/toml.h"

namespace planner {
namespace {

constexpr const char* kPrimus[] = {"modules.*.framework"};
constexpr const char* kAccelerate[] = {"distributed_type", "compute_environment", "deepspeed_config.zero_stage",
                                       "deepspeed_config.deepspeed_config_file"};
constexpr const char* kNeox[] = {"pipe_parallel_size",  "pipe-parallel-size", "model_parallel_size",
                                 "model-parallel-size", "gpt_j_residual",     "gpt-j-residual",
                                 "no_weight_tying",     "no-weight-tying",    "attention_config"};
constexpr const char* kDeepspeed[] = {"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"};
constexpr const char* kMegatron[] = {"language_model", "model_parallel", "MODEL_ARGS"};
constexpr const char* kFactoryV1[] = {"dist_config", "peft_config.name"};
constexpr const char* kFactoryCore[] = {"tensor_model_parallel_size", "pipeline_model_parallel_size"};
constexpr const char* kTrainer[] = {"model_name_or_path",
                                    "per_device_train_batch_size",
                                    "base_model",
                                    "finetuning_type",
                                    "cutoff_len",
                                    "dataset_text_field",
                                    "num_train_epochs",
                                    "lr_scheduler_type",
                                    "per_device_eval_batch_size"};
constexpr const char* kHf[] = {"architectures", "model_type"};
constexpr const char* kTorchtune[] = {"model._component_", "recipe._component_"};
constexpr const char* kFoundry[] = {"fsdp_config.sharding_strategy", "variables.global_seed", "max_seq_len"};
constexpr const char* kNemo[] = {"model.megatron_amp_O2", "model.tensor_model_parallel_size", "trainer.devices"};
constexpr const char* kTitan[] = {"parallelism.data_parallel_shard_degree",
                                  "training.local_batch_size",
                                  "training.batch_size",
                                  "training.seq_len",
                                  "job.config_file",
                                  "model.flavor"};

constexpr const char* kByHand = "`trainplan init llama3-8b dgx-h100` begins a scenario that you complete from it";

constexpr RunKind kKinds[] = {{"primus", "an experiment of Primus", kPrimus},
                              {"accelerate", "a configuration of accelerate", kAccelerate},
                              {"gpt-neox", "a configuration of GPT-NeoX", kNeox},
                              {"megatron", "arguments of Megatron-LM", kMegatron},
                              {"", "a configuration of LLaMA-Factory's v1", kFactoryV1, kByHand},
                              {"", "a configuration of LLaMA-Factory over Megatron-Core", kFactoryCore, kByHand},
                              {"deepspeed", "a configuration of DeepSpeed", kDeepspeed},
                              {"", "a configuration of torchtune", kTorchtune, kByHand},
                              {"trainer", "a configuration of a Trainer", kTrainer},
                              {"torchtitan", "a job configuration of torchtitan", kTitan},
                              {"nemo", "a configuration of NeMo", kNemo},
                              {"hf", "a configuration of Hugging Face", kHf},
                              {"", "a configuration of llm-foundry", kFoundry, kByHand}};
constexpr RunKind kPython{"", "a Python script", {}, kByHand};

/// Kinds of Python, by what they import.
struct PythonKind {
  const char* import;
  RunKind kind;
};
constexpr PythonKind kPythons[] = {{"from torchtitan", {"torchtitan", "a configuration of torchtitan", {}}},
                                   {"from xtuner", {"", "a configuration of xtuner, which is Python", {}, kByHand}},
                                   {"megatron.bridge", {"megatron-bridge", "a script of Megatron-Bridge", {}}},
                                   {"nemo.lightning", {"nemo2", "a script of NeMo 2", {}}},
                                   {"from nemo import lightning", {"nemo2", "a script of NeMo 2", {}}},
                                   {"nemo.collections import llm", {"nemo2", "a script of NeMo 2", {}}},
                                   {"nemo.collections.llm", {"nemo2", "a script of NeMo 2", {}}}};

bool has_path(const dsl::Node& tree, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  const bool last = dot == std::string_view::npos;
  return std::ranges::any_of(tree.entries, [&](const dsl::Entry& e) {
    return (key == "*" || e.key == key) && (last || has_path(e.value, path.substr(dot + 1)));
  });
}

bool is_json(const dsl::Source& source) {
  const size_t first = source.text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && source.text[first] == '{' && source.name.ends_with(".json");
}

/// Whether the text has the last key of any path: most texts have none, and are not parsed.
bool mentions_any(const std::string& text) {
  return std::ranges::any_of(kKinds, [&](const RunKind& kind) {
    return std::ranges::any_of(kind.telling, [&](const std::string_view path) {
      return text.find(path.substr(path.rfind('.') + 1)) != std::string::npos;
    });
  });
}

/// Whether the first line that is no comment is one of Python.
bool begins_as_python(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    return line.starts_with("import ") || line.starts_with("\"\"\"") ||
           (line.starts_with("from ") && line.find(" import ") != std::string::npos);
  }
  return false;
}

const RunKind* python_kind(const dsl::Source& source) {
  if (!source.name.ends_with(".py") && !begins_as_python(source.text)) return nullptr;
  const auto* row = std::ranges::find_if(
      kPythons, [&](const PythonKind& python) { return source.text.find(python.import) != std::string::npos; });
  return row == std::end(kPythons) ? &kPython : &row->kind;
}

/// "[training]" at the beginning of a line, and "a = b".
bool looks_like_toml(const std::string& text) {
  const std::string lines = "\n" + text;
  return lines.find("\n[") != std::string::npos && lines.find(" = ") != std::string::npos;
}

/// As Python's YAML 1.1 reads plain words.
void spell_truths(dsl::Node& node) {
  constexpr std::string_view kYes[] = {"True", "TRUE", "yes", "Yes", "on", "On"},
                             kNo[] = {"False", "FALSE", "no", "No", "off", "Off"};
  if (node.kind == dsl::Node::Kind::scalar && !node.quoted) {
    if (std::ranges::find(kYes, node.text) != std::end(kYes)) node.text = "true";
    if (std::ranges::find(kNo, node.text) != std::end(kNo)) node.text = "false";
    if (node.text == "None") node.kind = dsl::Node::Kind::null;
  }
  for (dsl::Node& item : node.items) spell_truths(item);
  for (dsl::Entry& e : node.entries) spell_truths(e.value);
}

}  // namespace

std::span<const RunKind> run_kinds() { return kKinds; }

const RunKind* kind_of_tree(const dsl::Node& tree) {
  const auto row = std::ranges::find_if(kKinds, [&](const RunKind& kind) {
    return std::ranges::any_of(kind.telling, [&](const char* path) { return has_path(tree, path); });
  });
  return row == std::end(kKinds) ? nullptr : &*row;
}

const RunKind* kind_of(const dsl::Source& source) {
  if (source.text.starts_with("#!")) return nullptr;
  if (const RunKind* python = python_kind(source)) return python;
  if (!mentions_any(source.text)) return nullptr;
  dsl::Diagnostics ignored;
  if (looks_like_toml(source.text)) return kind_of_tree(dsl::parse_toml(source, ignored));
  return kind_of_tree(parse_config(source, ignored));
}

dsl::Node parse_config(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  dsl::Node tree = is_json(source) ? dsl::parse_json(source, diagnostics) : dsl::parse_yaml(source, diagnostics);
  spell_truths(tree);
  return tree;
}

}  // namespace planner
