#include "planner/import/primus.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/core_arguments.h"
#include "planner/import/field_tree.h"
#include "planner/import/hub_names.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron.h"
#include "planner/import/megatron_table.h"
#include "planner/import/run_kinds.h"
#include "planner/import/torchtitan.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

constexpr const char* kOfPrimus = "default of Primus";

struct PresetValue {
  const char *key, *value;
};
/// Where Primus has other defaults than Megatron-LM (primus/configs/modules/megatron/pre_trainer.yaml,
/// trainer_base.yaml, models/megatron/language_model.yaml).
constexpr PresetValue kMegatronPreset[] = {{"micro_batch_size", "2"},
                                           {"global_batch_size", "16"},
                                           {"seq_length", "1024"},
                                           {"train_iters", "1000"},
                                           {"bf16", "true"},
                                           {"use_distributed_optimizer", "true"},
                                           {"sequence_parallel", "true"}};
/// Likewise than torchtitan (modules/torchtitan/pre_trainer.yaml).
constexpr PresetValue kTitanPreset[] = {{"activation_checkpoint.mode", "none"}, {"compile.enable", "true"}};

/// Keys of Primus alone that no plan depends on; a trailing '*' matches any ending.
constexpr const char* kIdle[] = {
    // logs and files
    "sink_level", "file_sink_level", "stderr_sink_level", "log_avg_*", "disable_*", "mlflow_*", "dump_pp_data",
    "generate_tracelens_report", "auto_continue_train", "trainable", "data_sharding", "mmap_bin_files",
    "torch_profiler_*", "pytorch_profiler_*", "use_rocm_mem_info*", "create_attention_mask_in_dataloader", "sft_*",
    "stage", "hf_path", "original_max_position_embeddings", "model_type", "dataloader_mp_context", "tokenizer_*",
    "vocab_extra_ids",
    // kernels, which the profile has
    "enable_primus_turbo", "use_turbo_*", "turbo_*", "enable_turbo_*", "moe_use_fused_router_with_aux_score",
    "no_fp8_weight_transpose_cache", "deprecated_*", "use_deprecated_*", "fp4_recipe", "torch_compile",
    "moe_router_force_load_balancing_type",
    // pipelines, beside their schedule
    "patch_*", "pp_*", "zero_bubble_*", "enable_zero_bubble", "enable_zb_runtime", "enable_exactly_numeric_match",
    "enable_optimizer_post_validation", "enable_1f1b_v", "communication_method", "debug_scheduler_table",
    "allow_padding_num_layers", "interleave_group_size", "overlap_p2p_comm", "decoder_pipeline_manual_split_list",
    "lora", "enable_packed_sequences", "profile_memory_iter", "num_seq_splits", "pre_communication_optimization"};

/// Keys of a preset that mean something only where another one is on.
struct DependentKey {
  const char *key, *needs;
};
constexpr DependentKey kDependent[] = {
    {"q_lora_rank", "multi_latent_attention"}, {"kv_lora_rank", "multi_latent_attention"},
    {"qk_head_dim", "multi_latent_attention"}, {"qk_pos_emb_head_dim", "multi_latent_attention"},
    {"v_head_dim", "multi_latent_attention"},  {"num_query_groups", "group_query_attention"}};

bool is_on(const dsl::Node& keys, std::string_view key) {
  const dsl::Node* value = keys.find(key);
  return value && value->text == "true";
}

/// Whether a preset gives a key for nothing.
bool is_moot(const dsl::Node& keys, const dsl::Node& own, std::string_view key) {
  const auto row = std::ranges::find_if(kDependent, [&](const DependentKey& one) { return key == one.key; });
  return row != std::end(kDependent) && !own.find(key) && !is_on(keys, row->needs);
}

/// Its pipelines: `pp_algorithm`, or zero-bubble schedules of before.
struct PipelineWord {
  const char *theirs, *ours;
};
constexpr PipelineWord kPipelines[] = {{"1f1b", "1f1b"},          {"1f1b-interleaved", "interleaved"},
                                       {"zero-bubble", "zb-h1"},  {"zero-bubble-heuristic", "zb-h1"},
                                       {"zbv-formatted", "zb-v"}, {"v-half", "v-half"},
                                       {"v-min", "v-min"}};
constexpr PipelineWord kVees[] = {{"half", "v-half"}, {"min", "v-min"}, {"zb", "zb-v"}};

/// Replaces "${NAME:default}" by what is given from outside, or by the default.
class Surroundings {
 public:
  Surroundings(const ShellInput& shell, dsl::Diagnostics& diagnostics) : shell_(shell), diagnostics_(diagnostics) {}

  void fill(dsl::Node& node) {
    for (dsl::Node& item : node.items) fill(item);
    for (dsl::Entry& e : node.entries) fill(e.value);
    if (node.text.find("${") == std::string::npos) return;
    std::string out;
    for (size_t at = 0; at < node.text.size();) {
      const size_t from = node.text.find("${", at), to = from == std::string::npos ? from : node.text.find('}', from);
      out += node.text.substr(at, from - at);
      if (to == std::string::npos) {
        if (from != std::string::npos) out += node.text.substr(from);
        break;
      }
      out += value_of(node.text.substr(from + 2, to - from - 2), node.span);
      at = to + 1;
    }
    node.text = out;
    if (out == "null" || out.empty()) node.kind = dsl::Node::Kind::null;
  }

 private:
  std::string value_of(const std::string& inside, const dsl::Span& span) {
    const size_t colon = inside.find(':');
    const std::string name = inside.substr(0, colon);
    if (const auto given = shell_.variables.find(name); given != shell_.variables.end()) return given->second;
    if (colon != std::string::npos) return inside.substr(colon + 1);
    diagnostics_.error(span, "'" + dsl::shortened(name) + "' has no value", "`--env " + name + "=VALUE` gives it");
    return "";
  }

  const ShellInput& shell_;
  dsl::Diagnostics& diagnostics_;
};

/// Puts the keys of a map over those of another, sections key by key.
void merge(dsl::Node& base, const dsl::Node& over) {
  base.kind = dsl::Node::Kind::map;
  if (!base.span.source) base.span = over.span;
  for (const dsl::Entry& e : over.entries) {
    const auto same = std::ranges::find(base.entries, e.key, &dsl::Entry::key);
    if (same == base.entries.end()) base.entries.push_back(e);
    else if (e.value.kind == dsl::Node::Kind::map && same->value.kind == dsl::Node::Kind::map)
      merge(same->value, e.value);
    else *same = e;
  }
}

/// The presets of a module: files next to the experiment, or where Primus has them.
class PresetFiles {
 public:
  PresetFiles(const RunFiles& files, std::string framework, dsl::Diagnostics& diagnostics)
      : files_(files), framework_(std::move(framework)), diagnostics_(diagnostics) {}

  /// Puts the keys of a preset and of those that it extends; false: there is no such file, `missing` names it.
  bool put(dsl::Node& out, const std::string& name, std::string& missing, int depth = 0) {
    constexpr int kMostDepth = 16;
    const dsl::Source* source = depth < kMostDepth ? find(name) : nullptr;
    if (!source) {
      missing = name;
      return false;
    }
    dsl::Node preset = parse_config(*source, diagnostics_);
    Surroundings(files_.shell, diagnostics_).fill(preset);
    if (const dsl::Node* bases = preset.find("extends"))
      for (const dsl::Node& base : bases->items)
        if (!put(out, base.text, missing, depth + 1)) return false;
    std::erase_if(preset.entries, [](const dsl::Entry& e) { return e.key == "extends"; });
    merge(out, preset);
    return true;
  }

 private:
  static std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

  const dsl::Source* find(const std::string& given) {
    const std::string name = given.ends_with(".yaml") || given.ends_with(".yml") ? given : given + ".yaml";
    for (const dsl::Source* source : files_.more)
      if (base_of(source->name) == base_of(name)) return source;
    if (!files_.shell.open) return nullptr;
    if (const dsl::Source* source = files_.shell.open(name)) return source;
    constexpr int kMostLevels = 6;
    std::string up;
    for (int level = 0; level < kMostLevels; ++level, up += "../")
      if (const dsl::Source* source =
              files_.shell.open(up + "primus/configs/models/" + framework_ + "/" + base_of(name)))
        return source;
    return nullptr;
  }

  const RunFiles& files_;
  std::string framework_;
  dsl::Diagnostics& diagnostics_;
};

/// The first module with a framework; null: no module has one.
const dsl::Entry* module_of(const dsl::Node& experiment) {
  const dsl::Node* modules = experiment.find("modules");
  if (!modules) return nullptr;
  const auto row =
      std::ranges::find_if(modules->entries, [](const dsl::Entry& e) { return e.value.find("framework"); });
  return row == modules->entries.end() ? nullptr : &*row;
}

/// What Primus has beside Megatron-LM.
void put_own(ImportedRun& run, const dsl::Node& keys, dsl::Diagnostics& diagnostics) {
  const auto put = [&](const char* field, const std::string& value, const char* key) {
    put_field(run.scenario, field, value_node(value, keys.find(key)->span, key), keys.find(key)->span);
  };
  const auto put_word = [&](std::span<const PipelineWord> rows, const char* key) {
    const std::string word = keys.find(key) ? keys.find(key)->text : "half";
    for (const PipelineWord& row : rows)
      if (word == row.theirs && keys.find(key)) return put("parallelism.schedule", row.ours, key);
    if (keys.find(key))
      diagnostics.warning(keys.find(key)->span, "'" + dsl::shortened(word) + "' is left out: no schedule of ours");
  };
  if (is_on(keys, "patch_primus_pipeline")) put_word(kPipelines, "pp_algorithm");
  if (is_on(keys, "patch_zero_bubble") && is_on(keys, "zero_bubble_v_schedule"))
    put_word(kVees, "zero_bubble_v_schedule_mem_setup");
  else if (is_on(keys, "patch_zero_bubble")) put("parallelism.schedule", "zb-h1", "patch_zero_bubble");
  if (const dsl::Node* list = keys.find("decoder_pipeline_manual_split_list"); list && !list->items.empty()) {
    std::string layers;
    for (const dsl::Node& item : list->items) layers += (layers.empty() ? "[" : ", ") + item.text;
    put("parallelism.stages", layers + "]", "decoder_pipeline_manual_split_list");
  }
  const dsl::Node* lora = keys.find("lora");  // `lora: {enabled: true, dim: 32, target_modules: [...]}`
  if (lora && is_on(*lora, "enabled") && lora->find("dim"))
    megatron::put_adapters(run.scenario, *lora->find("dim"), lora->find("target_modules"), "lora");
  if (!dsl::node_at(run.scenario, "model.experts.count")) return;
  if (is_on(keys, "use_turbo_deepep")) put("software.experts.dispatch", "per-node", "use_turbo_deepep");
  if (is_on(keys, "use_turbo_grouped_gemm")) put("software.experts.grouped", "true", "use_turbo_grouped_gemm");
}

/// The vocabulary of a tokenizer that a model of the catalogue has; without a value where another key gives it.
dsl::Entry vocabulary_by_name(const dsl::Node& keys) {
  const auto is_given = [&](const char* key) {
    const dsl::Node* value = keys.find(key);
    return value && value->kind != dsl::Node::Kind::null;
  };
  const dsl::Node* tokenizer = keys.find("tokenizer_model");
  if (!tokenizer || is_given("vocab_size") || is_given("padded_vocab_size")) return {};
  return {"padded_vocab_size", tokenizer->span,
          dsl::plain_node(figure_of_model(model_named(tokenizer->text), "vocab"), tokenizer->span)};
}

/// Arguments of Megatron-LM. Keys of Primus alone are noted, unknown ones of the experiment are warnings.
ImportedRun import_megatron_keys(const dsl::Node& keys, const dsl::Node& own, const std::set<std::string>& defaults,
                                 const RunFiles& files, const ShellCommand* line, dsl::Diagnostics& diagnostics) {
  std::vector<const dsl::Entry*> arguments;
  std::vector<std::string> idle;
  for (const dsl::Entry& e : keys.entries) {
    const bool off = e.value.kind == dsl::Node::Kind::null || e.value.text == "false";
    if (is_moot(keys, own, e.key)) continue;
    if (megatron::is_argument(e.key)) arguments.push_back(&e);
    else if (off || !own.find(e.key)) continue;
    else if (megatron::matches_any(e.key, kIdle)) idle.push_back(e.key);
    else
      diagnostics.warning(e.key_span, "unknown key '" + dsl::shortened(e.key) + "'",
                          dsl::did_you_mean(e.key, megatron::argument_names()));
  }
  const dsl::Entry rows = vocabulary_by_name(keys);
  if (!rows.value.text.empty() && files.model.empty()) arguments.push_back(&rows);
  megatron::YamlFlags flags = megatron::flags_of_arguments(std::move(arguments), diagnostics);
  for (auto& [flag, key] : flags.keys)
    if (defaults.contains(key)) key = "default of Primus: " + key;
    else if (key == rows.key && !rows.value.text.empty()) key = "tokenizer_model, of a model of the catalogue:";
  ImportedRun run = import_arguments(std::move(flags), line, files, keys.span, diagnostics);
  if (diagnostics.has_errors()) return {};
  put_field(run.scenario, "software.use", value_node("primus", keys.span, "", true));
  put_own(run, keys, diagnostics);
  order_fields(run.scenario, scenario_schema());
  run.ignored.insert(run.ignored.end(), idle.begin(), idle.end());
  return run;
}

/// Keys of torchtitan, without those of Primus.
ImportedRun import_titan_keys(dsl::Node keys, const RunFiles& files, dsl::Diagnostics& diagnostics) {
  std::erase_if(keys.entries,
                [](const dsl::Entry& e) { return e.key == "primus_turbo" || e.value.kind != dsl::Node::Kind::map; });
  for (dsl::Entry& section : keys.entries) {
    std::erase_if(section.value.entries, [](const dsl::Entry& e) { return e.key == "mock_data"; });
    for (dsl::Entry& e : section.value.entries)
      std::erase_if(e.value.items, [](const dsl::Node& item) { return item.text == "primus_turbo"; });
  }
  return import_torchtitan_keys(std::move(keys), files, diagnostics);
}

}  // namespace

ImportedRun import_primus(const RunFiles& files, dsl::Sources&, dsl::Diagnostics& diagnostics) {
  dsl::Node experiment = parse_config(*files.config, diagnostics);
  if (experiment.broken || diagnostics.has_errors()) return {};
  Surroundings(files.shell, diagnostics).fill(experiment);
  const dsl::Entry* module = module_of(experiment);
  if (!module) {
    diagnostics.error(experiment.span, "no module of Primus here",
                      "`modules: {pre_trainer: {framework: megatron, ...}}`");
    return {};
  }
  const dsl::Node& framework = *module->value.find("framework");
  const bool is_titan = framework.text == "torchtitan";
  if (!is_titan && framework.text != "megatron") {
    diagnostics.error(
        framework.span, "a module of '" + dsl::shortened(framework.text) + "' is not read",
        "known: megatron, torchtitan; `trainplan init llama3-8b mi300x-oam` begins a scenario of your own");
    return {};
  }
  const std::span<const PresetValue> preset = is_titan ? std::span<const PresetValue>(kTitanPreset) : kMegatronPreset;
  dsl::Node keys;
  for (const PresetValue& row : preset)
    put_field(keys, row.key, value_node(row.value, framework.span, kOfPrimus), framework.span);
  RunFiles inside = files;
  std::string missing;
  const dsl::Node* model = module->value.find("model");
  PresetFiles presets(files, framework.text, diagnostics);
  if (model && !presets.put(keys, model->text, missing) && inside.model.empty())
    inside.model = model_named(model->text);
  if (model && !missing.empty() && inside.model.empty())
    diagnostics.error(
        model->span, "'" + dsl::shortened(missing) + "' is not here: it says the shape of the model",
        fmt::format("`trainplan import primus {} {}` with that file of primus/configs/models/{}, or --model NAME",
                    files.config->name, missing, framework.text));
  const dsl::Node none, *own = module->value.find("overrides");
  if (!own) own = &none;
  std::set<std::string> defaults;  // keys that no file gives
  merge(keys, *own);
  for (const PresetValue& row : preset)
    if (const dsl::Node* value = keys.find(row.key); value && value->comment == kOfPrimus) defaults.insert(row.key);
  keys.span = module->key_span;
  const auto reads = [](const std::string& flag) { return megatron::megatron_lm().reads(flag); };
  const LaunchLine line = read_launch(files.launch, files.shell, reads, diagnostics);
  if (diagnostics.has_errors()) return {};
  return is_titan ? import_titan_keys(std::move(keys), inside, diagnostics)
                  : import_megatron_keys(keys, *own, defaults, inside, line.is_found() ? &line.command : nullptr,
                                         diagnostics);
}

}  // namespace planner
