#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "planner/import/core_arguments.h"
#include "planner/import/core_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/run_kinds.h"
#include "planner/scenario/scenario.h"
#include "planner/shell/read_shell.h"

namespace planner {
namespace {

using megatron::CoreArguments;

constexpr megatron::CoreKey kKeys[] = {{"trainer.devices", "nproc_per_node"},
                                       {"trainer.num_nodes", "nnodes"},
                                       {"trainer.max_steps", "train_iters"},
                                       {"trainer.precision", "precision"},
                                       {"model.data.seq_length", "seq_length"},
                                       {"encoder_seq_length", "seq_length"},
                                       {"override_vocab_size", "padded_vocab_size"},
                                       {"bias", "add_bias_linear"},
                                       {"rotary_percentage", "rotary_percent"},
                                       {"activation", "activation_func"},
                                       {"bias_dropout_add_fusion", "bias_dropout_fusion"},
                                       {"ub_tp_comm_overlap", "tp_comm_overlap"},
                                       {"activations_checkpoint_granularity", "recompute_granularity"},
                                       {"activations_checkpoint_method", "recompute_method"},
                                       {"activations_checkpoint_num_layers", "recompute_num_layers"},
                                       {"optim.overlap_grad_sync", "overlap_grad_reduce"},
                                       {"optim.overlap_param_sync", "overlap_param_gather"},
                                       {"use_flash_attention", "use_flash_attn"}};

/// Keys of NeMo alone that no plan depends on.
constexpr const char* kIdle[] = {
    // names, files, checks
    "mcore_gpt", "name", "restore_from_*", "resume_from_checkpoint", "dist_ckpt_*", "fsdp_sharded_checkpoint",
    "skip_train", "onnx_safe", "apex_transformer_log_level", "enable_megatron_timers", "gc_interval", "sharp",
    "nccl_communicator_config_path", "validation_param_sync_overlap",
    // what NeMo does in one way
    "pre_process", "post_process", "use_scaled_init_method", "transformer_block_type", "normalize_attention_scores",
    "attention_type", "persist_layer_norm", "headscale", "openai_gelu", "drop_layers", "ffn_dropout",
    "seq_len_interpolation_factor", "scale_positional_embedding", "get_attention_mask_from_fusion",
    "grad_div_ar_fusion", "gradient_as_bucket_view", "grad_allreduce_chunk_size_mb", "sync_batch_comm",
    "ub_tp_comm_overlap_cfg", "num_micro_batches_with_partial_activation_checkpoints",
    "activations_checkpoint_layers_per_pipeline", "transformer_engine",
    // rates and scales
    "do_layer_norm_weight_decay", "reset_lr*", "native_amp_*", "hysteresis", "fp8_interval", "reduce_amax", "use_emha",
    // read with others
    "megatron_amp_O2", "fp8_e4m3", "fp8_hybrid", "fsdp", "fsdp_sharding_strategy", "fsdp_grad_reduce_dtype",
    "grad_sync_dtype"};

constexpr megatron::CoreProgram kNemo{"NeMo", "nemo", "nemo", kKeys, kIdle};

/// Sections without a plan's keys: files, logs, the optimizer's rates.
constexpr const char* kIdleSections[] = {
    "exp_manager", "model.tokenizer",   "model.nsys_profile",          "s3_checkpointing", "hydra",
    "run",         "model.optim.sched", "model.megatron_timer_kwargs", "model.peft",       "defaults"};
/// Of these, only keys of the table count.
constexpr const char* kLoose[] = {"trainer.", "model.data.", "model.optim."};

/// The value of "multiply:4, 768", as NeMo's resolvers give it; "": another text.
std::string computed(const std::string& text) {
  const size_t colon = text.find(':'), comma = text.find(',');
  if (comma == std::string::npos) return "";
  const auto number = [](const std::string& word) { return megatron::python_number(std::string(dsl::trimmed(word))); };
  const auto a = number(text.substr(colon + 1, comma - colon - 1)), b = number(text.substr(comma + 1));
  if (!a || !b) return "";
  const std::string name = text.substr(0, colon);
  const char* sign = name == "multiply" ? "*" : name == "divide" || name == "int_div" ? "/" : name == "sum" ? "+" : "";
  if (!*sign) return "";
  const int64_t x = std::atoll(a->c_str()), y = std::atoll(b->c_str());
  if (*sign == '/' && (y == 0 || x % y != 0)) return "";
  return std::to_string(*sign == '*' ? x * y : *sign == '+' ? x + y : x / y);
}

/// The value that a path has, from a section for one with a dot in front; "": none here.
std::string referred(const std::string& path, const dsl::Node& root, const std::string& section) {
  const dsl::Node* there = dsl::node_at(root, path.starts_with('.') ? section + path.substr(1) : path);
  return there && there->kind == dsl::Node::Kind::scalar ? there->text : "";
}

/// Puts values in place of "${model.encoder_seq_length}", "${.hidden_size}" of the same section, and
/// "${multiply:4, ${.hidden_size}}", from inside out.
void follow_references(dsl::Node& node, const dsl::Node& root, const std::string& section) {
  for (dsl::Entry& e : node.entries)
    follow_references(e.value, root, e.value.kind == dsl::Node::Kind::map ? section + e.key + "." : section);
  constexpr int kMostReferences = 64;
  for (int i = 0; i < kMostReferences; ++i) {
    const size_t from = node.text.rfind("${"), to = node.text.find('}', from);
    if (from == std::string::npos || to == std::string::npos) return;
    const std::string inside = node.text.substr(from + 2, to - from - 2);
    const std::string value =
        inside.find(':') == std::string::npos ? referred(inside, root, section) : computed(inside);
    if (value.empty()) return;
    node.text.replace(from, to - from + 1, value);
  }
}

void add_section(CoreArguments& arguments, const dsl::Node& section, const std::string& prefix) {
  const bool strict = std::ranges::none_of(kLoose, [&](std::string_view loose) { return prefix.starts_with(loose); });
  for (const dsl::Entry& e : section.entries) {
    const std::string path = prefix + e.key;
    if (std::ranges::find(kIdleSections, path) != std::end(kIdleSections)) continue;
    if (e.value.kind == dsl::Node::Kind::map) add_section(arguments, e.value, path + ".");
    else arguments.add(path, e, strict && !prefix.empty());
  }
}

std::string text_at(const dsl::Node& tree, const char* path) {
  const dsl::Node* node = dsl::node_at(tree, path);
  return node ? node->text : "";
}

/// Names of optimizers, and the words for norms and eight bits.
void imply_own(CoreArguments& arguments, const dsl::Node& tree) {
  const auto at = [&](const char* path) { return dsl::node_at(tree, path)->span; };
  const char* from = "model.optim.name";
  const std::string optimizer = text_at(tree, from);
  if (optimizer.starts_with("distributed_")) arguments.imply("use_distributed_optimizer", "true", at(from), from);
  if (optimizer == "sgd") arguments.imply("optimizer", "sgd", at(from), from);
  const char* granularity = "model.activations_checkpoint_granularity";
  if (text_at(tree, "model.fsdp") == "true")
    arguments.imply("use_megatron_fsdp", "true", at("model.fsdp"), "model.fsdp");
  const std::string strategy = text_at(tree, "model.fsdp_sharding_strategy");
  if (!strategy.empty() && arguments.is_on("use_megatron_fsdp"))
    arguments.imply("data_parallel_sharding_strategy", strategy == "grad" ? "optim_grads" : "optim_grads_params",
                    at("model.fsdp_sharding_strategy"), "model.fsdp_sharding_strategy");
  if (text_at(tree, granularity) == "full" && text_at(tree, "model.activations_checkpoint_method").empty())
    arguments.imply("recompute_method", "uniform", at(granularity), granularity);
}

/// Bytes of a reduced gradient: a key's, or without shards those of the accumulated ones
/// (nemo/collections/nlp/models/language_modeling/megatron_base_model.py: fp32_grad_accum).
void put_reduction(dsl::Node& scenario, const dsl::Node& tree, const CoreArguments& arguments) {
  const char* field = "software.reduce_bytes";
  const char* key =
      arguments.is_on("use_megatron_fsdp") ? "model.fsdp_grad_reduce_dtype" : "model.optim.grad_sync_dtype";
  const dsl::Node *type = dsl::node_at(tree, key), *optimizer = dsl::node_at(tree, "model.optim.name");
  const bool is_sharded = arguments.is_on("use_megatron_fsdp") || arguments.is_on("use_distributed_optimizer");
  if (is_sharded && type)
    put_field(scenario, field, value_node(type->text.find("32") == std::string::npos ? "2" : "4", type->span, key),
              type->span);
  else if (!is_sharded && optimizer)
    put_field(scenario, field, value_node(arguments.is_on("fp16") ? "2" : "4", optimizer->span, "model.optim.name"),
              optimizer->span);
}

/// Its words where Megatron-LM has others.
void spell_values(dsl::Node& tree) {
  constexpr megatron::ProgramWord kNorms[] = {{"LayerNorm", "layernorm"},
                                              {"LayerNorm", "layernorm1p"},
                                              {"LayerNorm", "low_precision_layernorm"},
                                              {"RMSNorm", "rmsnorm"}};
  dsl::Node* model = nullptr;
  for (dsl::Entry& e : tree.entries)
    if (e.key == "model") model = &e.value;
  if (!model) return;
  const bool hybrid = text_at(tree, "model.fp8_e4m3") != "true";
  for (dsl::Entry& e : model->entries) {
    if (e.key == "normalization")
      if (const std::string norm = megatron::ours_of(kNorms, e.value.text); !norm.empty()) e.value.text = norm;
    if (e.key != "fp8") continue;
    if (e.value.text == "true") e.value.text = hybrid ? "hybrid" : "e4m3";
    else e.value.kind = dsl::Node::Kind::null;
  }
}

/// Words "a.b=c", "+a.b=c" and "++a.b=c" of the command line (Hydra), over the file.
void put_overrides(dsl::Node& tree, const ShellCommand& line) {
  for (const ShellWord& word : line.words) {
    const size_t from = word.text.find_first_not_of('+'), equals = word.text.find('='), dot = word.text.find('.');
    if (word.text.starts_with('-') || equals == std::string::npos || dot > equals) continue;
    put_field(tree, word.text.substr(from, equals - from), megatron::override_value(word), word.span);
  }
}

/// Models and adapters that its files describe as well.
void refuse_others(const dsl::Node& tree, dsl::Diagnostics& diagnostics) {
  constexpr const char* kOthers[] = {"model.hyena", "model.mcore_bert", "model.retro", "model.hybrid_override_pattern",
                                     "model.mamba_ssm_ngroups"};
  for (const char* path : kOthers)
    if (const dsl::Node* node = dsl::node_at(tree, path))
      diagnostics.error(node->span, "'" + std::string(path) + "' is of another model than GPT, which is not planned",
                        "`trainplan list model` has models of other kinds");
  const dsl::Node* scheme = dsl::node_at(tree, "model.peft.peft_scheme");
  if (scheme && scheme->kind != dsl::Node::Kind::null && scheme->text != "lora" && scheme->text != "none")
    diagnostics.error(scheme->span, "adapters of '" + dsl::shortened(scheme->text) + "' are not planned", "lora is");
}

}  // namespace

ImportedRun import_nemo(const RunFiles& files, dsl::Sources&, dsl::Diagnostics& diagnostics) {
  dsl::Node tree = parse_config(*files.config, diagnostics);
  if (tree.broken || diagnostics.has_errors()) return {};
  const auto reads = [](const std::string& flag) { return megatron::megatron_lm().reads(flag); };
  ShellText shell;
  if (files.launch) shell = read_shell(*files.launch, diagnostics, files.shell);
  const LaunchLine line = launch_of(shell, reads, diagnostics);
  for (const ShellCommand& command : shell.usual.commands) put_overrides(tree, command);
  const dsl::Node root = tree;
  follow_references(tree, root, "");
  refuse_others(tree, diagnostics);
  spell_values(tree);
  CoreArguments arguments(kNemo, diagnostics);
  add_section(arguments, tree, "");
  imply_own(arguments, tree);
  if (diagnostics.has_errors()) return {};
  const dsl::Span place{files.config, 1, 1, 1};
  ImportedRun run = arguments.run(line.is_found() ? &line.command : nullptr, files, place);
  // Its optimizers overlap as they are made to, unless a key says otherwise.
  if (!arguments.find("overlap_grad_reduce")) drop_field(run.scenario, "software.overlap.gradients");
  if (!arguments.find("overlap_param_gather")) drop_field(run.scenario, "software.overlap.parameters");
  put_reduction(run.scenario, tree, arguments);
  if (const dsl::Node* flash = dsl::node_at(tree, "model.use_flash_attention"); flash && flash->text == "true")
    put_field(run.scenario, "software.attention", value_node("flash2", flash->span, "model.use_flash_attention"),
              flash->span);
  const dsl::Node* rank = dsl::node_at(tree, "model.peft.lora_tuning.adapter_dim");
  if (rank && text_at(tree, "model.peft.peft_scheme") == "lora")
    megatron::put_adapters(run.scenario, *rank, dsl::node_at(tree, "model.peft.lora_tuning.target_modules"),
                           "model.peft.lora_tuning");
  order_fields(run.scenario, scenario_schema());
  return run;
}

}  // namespace planner
