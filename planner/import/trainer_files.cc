// The keys of files as flags: accelerate's own file, and those of programs on top of the Trainer.
#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/field_tree.h"
#include "planner/import/trainer_config.h"

namespace planner::trainer {
namespace {

bool is_section(const dsl::Entry& e) { return e.value.kind == dsl::Node::Kind::map && !e.value.entries.empty(); }

const dsl::Entry* entry_of(const dsl::Node& map, std::string_view key) {
  const auto it = std::ranges::find(map.entries, key, &dsl::Entry::key);
  return it == map.entries.end() ? nullptr : &*it;
}

/// Known engines, and the section that each has.
struct EngineSection {
  const char *type, *section;
};
constexpr EngineSection kEngines[] = {
    {"DEEPSPEED", "deepspeed_config"}, {"FSDP", "fsdp_config"}, {"MEGATRON_LM", "megatron_lm_config"}};
constexpr const char* kReplicas[] = {"NO",        "MULTI_GPU", "MULTI_XPU", "MULTI_NPU",    "MULTI_MLU",  "MULTI_HPU",
                                     "MULTI_CPU", "XLA",       "TPU",       "MULTI_NEURON", "MULTI_MUSA", "MULTI_SDAA"};

/// An engine that the file names, while only another one has a section.
void check_engine(const dsl::Node& file, dsl::Diagnostics& diagnostics) {
  const dsl::Node* type = file.find("distributed_type");
  if (!type)
    return diagnostics.error(file.span, "missing key distributed_type",
                             "`distributed_type: FSDP`, DEEPSPEED or MULTI_GPU");
  const std::string name = type->text;
  const auto own = std::ranges::find_if(kEngines, [&](const EngineSection& row) { return name == row.type; });
  const bool replicas = std::ranges::find(kReplicas, name) != std::end(kReplicas);
  if (own == std::end(kEngines) && !replicas)
    return diagnostics.error(type->span, "unknown distributed_type '" + dsl::shortened(name) + "'",
                             "known: NO, MULTI_GPU, FSDP, DEEPSPEED, MEGATRON_LM");
  const dsl::Entry* mine = replicas ? nullptr : entry_of(file, own->section);
  for (const EngineSection& row : kEngines) {
    const dsl::Entry* other = name == row.type ? nullptr : entry_of(file, row.section);
    if (!other || !is_section(*other)) continue;
    if (replicas || (mine && is_section(*mine)))
      diagnostics.warning(other->key_span, "'" + other->key + "' has no effect: distributed_type is " + name);
    else
      diagnostics.error(type->span, "distributed_type is " + name + ", but the file has '" + other->key + "' alone",
                        "`distributed_type: " + std::string(row.type) + "`, or a section '" + own->section + "'");
  }
}

void put_deepspeed(FlagSheet& sheet, dsl::Node& json, const dsl::Entry& section) {
  if (const dsl::Entry* file = entry_of(section.value, "deepspeed_config_file"))
    sheet.put("--deepspeed_config_file", *file);
  json.span = section.value.span;
  for (const dsl::Entry& e : section.value.entries) put_field(json, e.key, e.value, e.key_span);
}

bool is_of_launcher(std::string_view key) {
  const auto keys = launch_keys();
  return std::ranges::find(keys, key) != keys.end();
}

/// Keys that Python's YAML takes for a word: "no" in quotes and without.
void put_fp16(FlagSheet& sheet, const dsl::Entry& e) {
  if (e.value.text == "true") sheet.put("--fp16", e);
}

/// A switch that is off, or no value.
bool is_off(const dsl::Node& value) {
  return value.kind == dsl::Node::Kind::null || value.text == "false" || value.text == "False" || value.text == "no" ||
         (value.kind == dsl::Node::Kind::scalar && value.text.empty());
}

using megatron::FlagRole;

void warn_unknown(const dsl::Entry& e, const std::string& name, dsl::Diagnostics& diagnostics) {
  diagnostics.warning(e.key_span, "unknown key '" + dsl::shortened(e.key) + "'", dsl::did_you_mean(name, read_keys()));
}

/// axolotl trains adapters where `adapter` names them; without it the other keys of adapters do nothing.
bool has_no_adapter(const dsl::Node& file) {
  const dsl::Entry* adapter = entry_of(file, "adapter");
  return file.find("base_model") && (!adapter || is_off(adapter->value));
}

void put_adapter(FlagSheet& sheet, const dsl::Node& file) {
  const dsl::Entry* adapter = entry_of(file, "adapter");
  if (!adapter || is_off(adapter->value)) return;
  sheet.put("--use_peft", *adapter);  // a word that is not "no" switches it on
  if (adapter->value.text == "qlora") sheet.put("--load_in_4bit", *adapter);
  const dsl::Entry* linear = entry_of(file, "lora_target_linear");
  if (!linear || is_off(linear->value)) return;
  dsl::Entry all = *linear;
  all.value.text = "all-linear";
  sheet.put("--lora_target_modules", all);
}

/// Methods that run other models, or sample, beside the training of one.
void warn_of_method(const dsl::Node& file, dsl::Diagnostics& diagnostics) {
  constexpr std::string_view kMethods[] = {"dpo",  "ipo",   "kto",  "orpo", "ppo", "rm",
                                           "grpo", "simpo", "gdpo", "ebft", "bco"};
  for (const char* key : {"rl", "stage"}) {
    const dsl::Node* value = file.find(key);
    if (value && std::ranges::find(kMethods, value->text) != std::end(kMethods))
      diagnostics.warning(value->span, "'" + value->text +
                                           "' is planned as the training of one model: what it samples, " +
                                           "and other models, are left out");
  }
}

/// Other spellings of a value.
void put_value(FlagSheet& sheet, const dsl::Entry& given) {
  const std::string flag = flag_of(given.key);
  dsl::Entry e = given;
  if (given.key == "disable_gradient_checkpointing") {
    e.value.text = is_off(given.value) ? "true" : "false";
    return sheet.put("--gradient_checkpointing", e);
  }
  if (given.key == "flash_attention" && !is_off(given.value)) {
    e.value.text = "flash_attention_2";
    return sheet.put("--attn_implementation", e);
  }
  sheet.put(flag, e);
}

}  // namespace

void put_section(FlagSheet& sheet, const dsl::Node& section, const std::string& prefix, dsl::Diagnostics& diagnostics) {
  for (const dsl::Entry& e : section.entries) {
    const std::string flag = "--" + (e.key.starts_with(prefix) ? "" : prefix) + e.key;
    const FlagRole role = role_of(flag);
    if (role == FlagRole::rule || (role == FlagRole::lost && !is_off(e.value))) sheet.put(flag, e);
    else if (role == FlagRole::unknown) warn_unknown(e, flag.substr(2), diagnostics);
  }
}

void put_accelerate(FlagSheet& sheet, dsl::Node& json, const dsl::Node& file, dsl::Diagnostics& diagnostics) {
  const dsl::Node* place = file.find("compute_environment");
  if (place && place->text != "LOCAL_MACHINE")
    diagnostics.error(place->span,
                      "a run on " + dsl::shortened(place->text) + " is not read: its machine is not in the file",
                      "`compute_environment: LOCAL_MACHINE` with num_processes");
  check_engine(file, diagnostics);
  std::vector<std::string> names;
  for (const char* key : launch_keys()) names.emplace_back(key);
  const std::string engine = file.find("distributed_type") ? file.find("distributed_type")->text : "";
  for (const dsl::Entry& e : file.entries) {
    const auto rows = sections();
    const auto section = std::ranges::find_if(rows, [&](const LaunchSection& row) { return e.key == row.key; });
    const bool nested = section != rows.end() || e.key == "deepspeed_config";
    if (!is_of_launcher(e.key))
      diagnostics.error(e.key_span, "unknown key '" + dsl::shortened(e.key) + "': accelerate refuses it",
                        dsl::did_you_mean(e.key, names));
    else if (nested && e.value.kind != dsl::Node::Kind::map && e.value.kind != dsl::Node::Kind::null)
      diagnostics.error(e.value.span, "'" + e.key + "' holds keys, got '" + dsl::shortened(e.value.text) + "'");
    else if (e.key == "deepspeed_config") {
      if (engine == "DEEPSPEED") put_deepspeed(sheet, json, e);
    } else if (section != rows.end()) put_section(sheet, e.value, section->prefix, diagnostics);
    else if (e.key == "fp16") put_fp16(sheet, e);
    else if (role_of("--" + e.key) == FlagRole::rule || !is_off(e.value)) sheet.put("--" + e.key, e);
  }
}

void put_trainer(FlagSheet& sheet, dsl::Node& json, const dsl::Node& file, dsl::Diagnostics& diagnostics) {
  const bool none = has_no_adapter(file);
  for (const dsl::Entry& e : file.entries) {
    const std::string flag = flag_of(e.key);
    const FlagRole role = role_of(flag);
    const auto rows = sections();
    const auto section = std::ranges::find_if(rows, [&](const LaunchSection& row) { return e.key == row.key; });
    const bool map = e.value.kind == dsl::Node::Kind::map;
    if ((none && e.key.starts_with("lora_")) || e.key == "rl") continue;
    if (section != rows.end() && map) put_section(sheet, e.value, section->prefix, diagnostics);
    else if (e.key == "deepspeed" && map) {
      json = e.value;
      sheet.put("--deepspeed", {e.key, e.key_span, dsl::plain_node("true", e.value.span)});
    } else if (role == FlagRole::rule) put_value(sheet, e);
    else if (map || role == FlagRole::idle) sheet.put(flag, {e.key, e.key_span, dsl::plain_node("", e.value.span)});
    else if (is_off(e.value)) continue;
    else if (role == FlagRole::lost) put_value(sheet, e);
    else warn_unknown(e, e.key, diagnostics);
  }
  put_adapter(sheet, file);
  warn_of_method(file, diagnostics);
}

}  // namespace planner::trainer
