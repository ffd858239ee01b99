#include "planner/import/core_arguments.h"

#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/field_tree.h"
#include "planner/import/megatron.h"
#include "planner/import/megatron_table.h"
#include "planner/scenario/scenario.h"

namespace planner::megatron {
namespace {

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// Keys that no flag of Megatron-LM is: rules of this file read them.
constexpr const char* kOwnKeys[] = {"precision", "grad_reduce_in_fp32", "activation_func", "gated_linear_unit"};
bool is_own(const std::string& key) { return std::ranges::find(kOwnKeys, key) != std::end(kOwnKeys); }

std::string argument_of(const CoreProgram& program, const std::string& path) {
  const std::string last = last_of(path);
  for (const CoreKey& row : program.keys)
    if (path == row.key || path.ends_with("." + std::string(row.key)) || last == row.key) return row.argument;
  return is_own(last) || (is_argument(last) && !matches_any(last, program.idle)) ? last : "";
}

/// "bf16" of "torch.bfloat16", "flash" of "AttnBackend.flash"; a number as it is.
void unqualify(dsl::Node& value) {
  constexpr ProgramWord kTypes[] = {{"bf16", "bfloat16"}, {"fp16", "float16"}, {"fp16", "half"},
                                    {"fp32", "float32"},  {"fp32", "float"},   {"fp8", "uint8"}};
  for (dsl::Node& item : value.items) unqualify(item);
  const size_t dot = value.text.rfind('.');
  const bool is_path =
      !value.quoted && dot != std::string::npos && value.text.find_first_of("/[(") == std::string::npos;
  if (!is_path || !std::isalpha(static_cast<unsigned char>(value.text[0]))) return;
  value.text.erase(0, dot + 1);
  if (const std::string type = ours_of(kTypes, value.text); !type.empty()) value.text = type;
}

/// What the program calls mixed precision, as arguments: "bf16-mixed", 16, "bf16_with_fp8_delayed_scaling_mixed".
struct MixedPrecision {
  const char *word, *argument, *value;
};
constexpr MixedPrecision kMixed[] = {{"bf16", "bf16", "true"},
                                     {"fp16", "fp16", "true"},
                                     {"16-mixed", "fp16", "true"},
                                     {"16", "fp16", "true"},
                                     {"fp8_mixed", "fp8", "hybrid"},
                                     {"fp8_delayed", "fp8", "hybrid"},
                                     {"fp8_current", "fp8", "hybrid"},
                                     {"fp8_current", "fp8_recipe", "tensorwise"},
                                     {"fp8_subchannel", "fp8", "hybrid"},
                                     {"fp8_subchannel", "fp8_recipe", "blockwise"},
                                     {"mxfp8", "fp8", "e4m3"},
                                     {"mxfp8", "fp8_recipe", "mxfp8"},
                                     {"nvfp4", "fp4", "e2m1"}};

}  // namespace

void CoreArguments::add(const std::string& path, const dsl::Entry& e, bool strict) {
  const std::string argument = argument_of(program_, path);
  if (argument.empty()) {
    const bool off = e.value.kind == dsl::Node::Kind::null || e.value.text == "false";
    if (!strict || off || matches_any(last_of(path), program_.idle)) return note(path, e);
    diagnostics_.warning(e.key_span, "unknown key '" + dsl::shortened(path) + "'",
                         dsl::did_you_mean(last_of(path), argument_names()));
    return;
  }
  const bool is_outside = e.value.text.find("os.environ") != std::string::npos;
  if (argument == "train_iters" && is_outside && !e.value.quoted) return note(path, e);
  if (!arguments_.contains(argument)) order_.push_back(argument);
  dsl::Entry& known = arguments_[argument] = e;
  known.key = argument;
  unqualify(known.value);
  written_[argument] = path;
}

/// Once: a script names a configuration where it makes it, and where it passes it on.
void CoreArguments::note(const std::string& path, const dsl::Entry& e) {
  if (noted_.insert({e.key_span.line, e.key_span.column}).second) idle_.push_back(path);
}

void CoreArguments::imply(const std::string& argument, const std::string& value, const dsl::Span& place,
                          const std::string& from) {
  if (find(argument)) return;
  if (!arguments_.contains(argument)) order_.push_back(argument);
  arguments_[argument] = {argument, place, value_node(value, place)};
  written_[argument] = from;
}

const dsl::Node* CoreArguments::find(const std::string& argument) const {
  const auto row = arguments_.find(argument);
  return row == arguments_.end() || row->second.value.kind == dsl::Node::Kind::null ? nullptr : &row->second.value;
}

std::string CoreArguments::text(const std::string& argument) const {
  const dsl::Node* value = find(argument);
  return value ? value->text : "";
}

/// What Megatron-LM has a flag of its own for.
void CoreArguments::imply_rules(bool is_named) {
  if (const dsl::Node* mixed = find("precision")) {
    const dsl::Span place = mixed->span;
    for (const MixedPrecision& row : kMixed)
      if (mixed->text.find(row.word) != std::string::npos &&
          !(is_on("bf16") && std::string_view(row.argument) == "fp16"))
        imply(row.argument, row.value, place, written_.at("precision"));
  }
  // Settings of mixed precision, true by default, go over those of DistributedDataParallelConfig in both programs.
  if (find("precision") && find("grad_reduce_in_fp32") &&
      written_.at("grad_reduce_in_fp32").find("ddp.") != std::string::npos)
    arguments_.at("grad_reduce_in_fp32").value.text = "true";
  const dsl::Node* wide = find("grad_reduce_in_fp32");
  if (wide && wide->text == "true" && is_on("fp16"))
    imply("accumulate_allreduce_grads_in_fp32", "true", wide->span, written_.at("grad_reduce_in_fp32"));
  if (wide && wide->text == "false" && is_on("bf16"))
    imply("grad_reduce_in_bf16", "true", wide->span, written_.at("grad_reduce_in_fp32"));
  if (const dsl::Node* groups = find("num_query_groups"))
    imply("group_query_attention", "true", groups->span, written_.at("num_query_groups"));
  if (is_on("use_megatron_fsdp"))  // of DistributedDataParallelConfig
    imply("data_parallel_sharding_strategy", "no_shard", find("use_megatron_fsdp")->span,
          written_.at("use_megatron_fsdp"));
  const dsl::Node* sequence = find("seq_length");
  if (sequence && !is_named)
    imply("max_position_embeddings", sequence->text, sequence->span, written_.at("seq_length"));
}

void CoreArguments::put(dsl::Node& scenario, const char* field, const std::string& value,
                        const std::string& argument) const {
  const dsl::Span& place = arguments_.at(argument).key_span;
  put_field(scenario, field, value_node(value, place, written_.at(argument) + " " + dsl::shortened(text(argument))),
            place);
}

/// What its profile has otherwise than Megatron-Core's defaults.
void CoreArguments::put_habits(dsl::Node& scenario) const {
  const auto put_off = [&](const char* field) {
    put_field(scenario, field, value_node("false", scenario.span, "default of Megatron-Core"));
  };
  const bool interleaves = dsl::node_at(scenario, "parallelism.interleave");
  if (find("overlap_p2p_comm") && interleaves)
    put(scenario, "software.overlap.pipeline", text("overlap_p2p_comm"), "overlap_p2p_comm");
  else if (interleaves) put_off("software.overlap.pipeline");
  if (!find("tp_comm_overlap") && find("tensor_model_parallel_size")) put_off("software.overlap.tensor");
  if (text("use_precision_aware_optimizer") != "false") return;
  put(scenario, "software.memory.optimizer", "12", "use_precision_aware_optimizer");
  if (is_on("grad_reduce_in_fp32")) put(scenario, "software.memory.gradient", "4", "grad_reduce_in_fp32");
}

/// What no flag says: a switch in the state that Megatron-LM has by default, but perhaps not the program.
void CoreArguments::put_fields(dsl::Node& scenario, bool is_named) const {
  for (const std::string& argument : order_) {
    const std::string value = text(argument);
    if (value != "true" && value != "false") continue;
    const SwitchField said = field_of_switch(argument, value == "true");
    if (!said.field.empty()) put(scenario, said.field.c_str(), said.value, argument);
  }
  constexpr ProgramWord kFunctions[] = {{"silu", "silu"},
                                        {"silu", "swiglu"},
                                        {"silu", "fast-swiglu"},
                                        {"gelu", "gelu"},
                                        {"gelu", "geglu"},
                                        {"relu", "relu"},
                                        {"relu", "reglu"},
                                        {"squared-relu", "squared_relu"},
                                        {"squared-relu", "squared-relu"}};
  if (const dsl::Node* function = find("activation_func")) {
    const std::string ours = ours_of(kFunctions, function->text);
    if (ours.empty()) diagnostics_.warning(function->span, "'" + dsl::shortened(function->text) + "' is left out");
    else put(scenario, "model.activation", ours, "activation_func");
    if (function->text.ends_with("glu")) put(scenario, "model.gated_mlp", "true", "activation_func");
  }
  if (find("gated_linear_unit")) put(scenario, "model.gated_mlp", text("gated_linear_unit"), "gated_linear_unit");
  if (find("bias_activation_fusion"))
    put(scenario, "software.fusion.bias_activation", text("bias_activation_fusion"), "bias_activation_fusion");
  put_habits(scenario);
  if (find("grad_reduce_in_fp32"))
    put(scenario, "software.reduce_bytes", is_on("grad_reduce_in_fp32") ? "4" : "2", "grad_reduce_in_fp32");
  if (!is_named) return;
  if (find("hidden_dropout")) put(scenario, "model.dropout", text("hidden_dropout"), "hidden_dropout");
  if (arguments_.contains("mtp_num_layers") && !find("mtp_num_layers"))
    put(scenario, "model.mtp", "0", "mtp_num_layers");
}

ImportedRun CoreArguments::run(const ShellCommand* line, const RunFiles& files, const dsl::Span& place) {
  const bool is_named = !files.model.empty();
  imply_rules(is_named);
  std::vector<const dsl::Entry*> entries;
  for (const std::string& argument : order_)
    if (!is_own(argument)) entries.push_back(&arguments_.at(argument));
  YamlFlags flags = flags_of_arguments(std::move(entries), diagnostics_);
  for (auto& [flag, key] : flags.keys)
    if (const auto path = written_.find(key); path != written_.end()) key = path->second;
  ImportedRun run = import_arguments(std::move(flags), line, files, place, diagnostics_);
  if (diagnostics_.has_errors()) return {};
  put_field(run.scenario, "software.use", value_node(program_.software, place, "", true));
  put_fields(run.scenario, is_named);
  order_fields(run.scenario, scenario_schema());
  run.ignored.insert(run.ignored.end(), idle_.begin(), idle_.end());
  return run;
}

bool matches_any(std::string_view key, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](std::string_view row) {
    return row.ends_with('*') ? key.starts_with(row.substr(0, row.size() - 1)) : key == row;
  });
}

dsl::Node override_value(const ShellWord& word) {
  dsl::Node value = value_node(word.text.substr(word.text.find('=') + 1), word.span);
  if (value.text == "True") value.text = "true";
  if (value.text == "False") value.text = "false";
  if (value.text == "None" || value.text == "null") value.kind = dsl::Node::Kind::null;
  return value;
}

void put_adapters(dsl::Node& scenario, const dsl::Node& rank, const dsl::Node* modules, const std::string& path) {
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return modules && std::ranges::any_of(modules->items, [&](const dsl::Node& item) {
             return std::ranges::find(names, item.text) != names.end();
           });
  };
  const bool dense = has({"attention_dense", "linear_proj", "attention"}),
             mlp = has({"linear_fc1", "linear_fc2", "mlp_fc1", "mlp_fc2", "mlp"});
  const bool qkv = has({"attention_qkv", "linear_qkv", "linear_q", "linear_kv"}) || dense;
  const char* targets = !modules || has({"all"}) || (mlp && qkv) ? "all" : mlp ? "mlp" : dense ? "attention" : "qkv";
  const dsl::Span& place = modules ? modules->span : rank.span;
  put_field(scenario, "job.lora.rank", value_node(rank.text, rank.span, path), rank.span);
  put_field(scenario, "job.lora.targets", value_node(targets, place, path), place);
}

}  // namespace planner::megatron
