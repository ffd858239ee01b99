#include "planner/import/megatron_yaml.h"

#include <algorithm>
#include <span>

#include "dsl/raw_text.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/megatron_table.h"

namespace planner::megatron {
namespace {

constexpr const char* kSections[] = {"language_model", "model_parallel", "MODEL_ARGS"};
/// Beside MODEL_ARGS: how a test is run.
constexpr const char* kOfTests[] = {"ENV_VARS", "TEST_TYPE",     "LAUNCHER",    "METRICS",
                                    "MODE",     "BEFORE_SCRIPT", "AFTER_SCRIPT"};

/// A key that is not a flag of the same letters: the flag of its value, or of "true"; and that of "false".
struct YamlKey {
  const char *key, *flag, *off = nullptr;
};
constexpr YamlKey kKeys[] = {
    // other words
    {"num_moe_experts", "--num-experts"},
    {"fp8", "--fp8-format"},
    {"fp4", "--fp4-format"},
    {"layernorm_epsilon", "--norm-epsilon"},
    {"layernorm_zero_centered_gamma", "--apply-layernorm-1p"},
    {"virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank"},
    {"num_layers_in_first_pipeline_stage", "--decoder-first-pipeline-num-layers"},
    {"num_layers_in_last_pipeline_stage", "--decoder-last-pipeline-num-layers"},
    // on by default
    {"share_embeddings_and_output_weights", nullptr, "--untie-embeddings-and-output-weights"},
    {"add_bias_linear", nullptr, "--disable-bias-linear"},
    {"gradient_accumulation_fusion", nullptr, "--no-gradient-accumulation-fusion"},
    {"bias_swiglu_fusion", nullptr, "--no-bias-swiglu-fusion"},
    {"bias_gelu_fusion", nullptr, "--no-bias-gelu-fusion"},
    {"bias_dropout_fusion", nullptr, "--no-bias-dropout-fusion"},
    {"masked_softmax_fusion", nullptr, "--no-masked-softmax-fusion"},
    {"apply_rope_fusion", nullptr, "--no-rope-fusion"},
    {"scatter_gather_tensors_in_pipeline", nullptr, "--no-scatter-gather-tensors-in-pipeline"},
    {"fp8_wgrad", nullptr, "--no-fp8-wgrad"},
    {"async_tensor_model_parallel_allreduce", nullptr, "--no-async-tensor-model-parallel-allreduce"},
    {"persist_layer_norm", nullptr, "--no-persist-layer-norm"},
    {"perform_initialization", nullptr, "--no-initialization"},
    {"clone_scatter_output_in_embedding", nullptr, "--no-clone-scatter-output-in-embedding"},
    {"manual_gc_eval", nullptr, "--no-manual-gc-eval"},
    {"barrier_with_L1_time", nullptr, "--no-barrier-with-level-1-timing"},
    {"bert_binary_head", nullptr, "--bert-no-binary-head"},
    {"enable_one_logger", nullptr, "--no-one-logger"},
    {"check_for_nan_in_loss_and_grad", nullptr, "--no-check-for-nan-in-loss-and-grad"},
    {"add_position_embedding", nullptr, "--no-position-embedding"},
};

constexpr const char* kNoFlags[] = {
    // read with others: activation(), overlap(), cpu_offloading_num_layers
    "activation_func", "gated_linear_unit", "swiglu", "squared_relu", "bias_activation_fusion", "overlap_p2p_comm",
    "cpu_offloading",
    // set by Megatron-LM itself, or of no effect on a step
    "memory_efficient_layer_norm", "init_method", "output_layer_init_method", "params_dtype", "pipeline_dtype",
    "autocast_dtype", "enable_autocast", "timers", "variable_seq_lengths", "batch_p2p_comm", "batch_p2p_sync",
    "deallocate_pipeline_outputs", "tp_comm_split_ag", "tp_comm_split_rs", "tp_comm_atomic_ag", "tp_comm_atomic_rs",
    "tp_comm_bulk_wgrad", "tp_comm_bulk_dgrad", "cpu_offloading_weights", "cpu_offloading_activations",
    "retriever_seq_length", "delay_grad_reduce", "delay_param_gather"};

/// Lists that are one value: which layers have something.
constexpr const char* kPatterns[] = {"moe_layer_freq", "window_attn_skip_freq", "linear_attention_freq"};

bool in(const std::string& key, std::span<const char* const> rows) {
  return std::ranges::find(rows, key) != rows.end();
}

/// "--num-layers" of "num_layers", and of itself.
std::string flag_of_argument(const std::string& key) {
  if (key.starts_with("--")) return key;
  std::string flag = "--" + key;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

/// A switch of YAML 1.1.
enum class Truth { none, on, off };
Truth truth_of(const dsl::Node& node) {
  std::string word = node.quoted ? "" : node.text;
  std::ranges::transform(word, word.begin(), dsl::small);
  if (word == "true" || word == "yes" || word == "on") return Truth::on;
  return word == "false" || word == "no" || word == "off" ? Truth::off : Truth::none;
}

const dsl::Entry* find(const std::vector<const dsl::Entry*>& entries, std::string_view key) {
  const auto it = std::ranges::find_if(entries, [&](const dsl::Entry* e) { return e->key == key; });
  return it == entries.end() || (*it)->value.kind == dsl::Node::Kind::null ? nullptr : *it;
}

class Translator {
 public:
  Translator(std::vector<const dsl::Entry*> entries, dsl::Diagnostics& diagnostics)
      : entries_(std::move(entries)), diagnostics_(diagnostics) {}

  YamlFlags translate() {
    for (const dsl::Entry* e : entries_) translate(*e);
    activation();
    overlap();
    return std::move(out_);
  }

 private:
  void put(const dsl::Entry& e, const std::string& flag, const std::vector<ShellWord>& values = {}) {
    out_.keys[flag] = e.key;
    out_.command.words.push_back({flag, e.key_span});
    out_.command.words.insert(out_.command.words.end(), values.begin(), values.end());
  }

  static std::vector<ShellWord> values_of(const dsl::Entry& e) {
    const bool list = e.value.kind == dsl::Node::Kind::list;
    if (!list) return {{e.value.text, e.value.span}};
    std::vector<ShellWord> words;
    std::string pattern;
    for (const dsl::Node& item : e.value.items) {
      words.push_back({item.text, item.span});
      pattern += (pattern.empty() ? "[" : ",") + item.text;
    }
    return in(e.key, kPatterns) ? std::vector<ShellWord>{{pattern + "]", e.value.span}} : words;
  }

  /// The value of a plain switch; Python takes 0 and 1 as well.
  Truth switch_of(const dsl::Entry& e) {
    const Truth truth = truth_of(e.value);
    if (truth != Truth::none) return truth;
    if (!e.value.quoted && (e.value.text == "0" || e.value.text == "1"))
      return e.value.text == "1" ? Truth::on : Truth::off;
    diagnostics_.error(e.value.span,
                       "expected true or false for " + e.key + ", got '" + dsl::shortened(e.value.text) + "'");
    return Truth::none;
  }

  void translate(const dsl::Entry& e) {
    if (e.value.kind == dsl::Node::Kind::null || in(e.key, kNoFlags)) return;
    if (e.key == "cpu_offloading_num_layers" && !is_on("cpu_offloading")) return;
    std::string flag = flag_of_argument(e.key);
    const auto* row = std::ranges::find_if(kKeys, [&](const YamlKey& k) { return e.key == k.key; });
    const char* off = nullptr;
    if (row != std::end(kKeys)) flag = row->flag ? row->flag : "", off = row->off;
    const Truth truth = off || megatron_lm().is_switch(flag) ? switch_of(e) : truth_of(e.value);
    if (truth == Truth::off && off) return put(e, off);
    if (flag.empty() || (truth == Truth::off && megatron_lm().role_of(flag) != FlagRole::unknown)) return;
    put(e, flag, truth == Truth::on ? std::vector<ShellWord>{} : values_of(e));
  }

  bool is_on(std::string_view key) const {
    const dsl::Entry* e = find(entries_, key);
    return e && (truth_of(e->value) == Truth::on || (!e->value.quoted && e->value.text == "1"));
  }

  /// TransformerConfig's function goes over the switches of the same meaning.
  void activation() {
    const dsl::Entry* e = find(entries_, "activation_func");
    if (!e) {
      for (const char* key : {"swiglu", "squared_relu"})
        if (is_on(key)) put(*find(entries_, key), key == std::string("swiglu") ? "--swiglu" : "--squared-relu");
      return;
    }
    const dsl::Entry* fusion = find(entries_, "bias_activation_fusion");
    if (e->value.text == "swiglu") return put(*e, "--swiglu");
    if (e->value.text == "squaredrelu") return put(*e, "--squared-relu");
    const dsl::Entry* bias = find(entries_, "add_bias_linear");
    const bool biased = !bias || (truth_of(bias->value) != Truth::off && bias->value.text != "0");
    if (biased) put(*e, "--no-bias-gelu-fusion");  // whatever the keys say (yaml_arguments.py)
    else if (fusion && truth_of(fusion->value) == Truth::off) put(*fusion, "--no-bias-gelu-fusion");
    if (is_on("gated_linear_unit")) put(*find(entries_, "gated_linear_unit"), "--quick-geglu");
  }

  /// An interleaved pipeline alone can overlap what its stages send.
  void overlap() {
    const dsl::Entry* e = find(entries_, "overlap_p2p_comm");
    const bool interleaves = find(entries_, "num_layers_per_virtual_pipeline_stage") ||
                             find(entries_, "virtual_pipeline_model_parallel_size");
    if (e && interleaves && truth_of(e->value) == Truth::off) put(*e, "--no-overlap-p2p-communication");
  }

  std::vector<const dsl::Entry*> entries_;
  dsl::Diagnostics& diagnostics_;
  YamlFlags out_;
};

}  // namespace

bool is_yaml(const dsl::Source& text) {
  const std::string lines = "\n" + text.text;
  return std::ranges::any_of(kSections, [&](const char* section) {
    return lines.find("\n" + std::string(section) + ":") != std::string::npos;
  });
}

YamlFlags flags_of_yaml(const dsl::Source& text, dsl::Diagnostics& diagnostics) {
  const dsl::Node yaml = dsl::parse_yaml(text, diagnostics);
  if (yaml.broken || diagnostics.has_errors()) return {};
  if (yaml.kind != dsl::Node::Kind::map) {
    diagnostics.error({&text, 1, 1, 1}, "expected the YAML of Megatron-LM: a map of its arguments");
    return {};
  }
  std::vector<const dsl::Entry*> entries;
  for (const dsl::Entry& e : yaml.entries) {
    const bool section = in(e.key, kSections);
    if (section && e.value.kind != dsl::Node::Kind::map && e.value.kind != dsl::Node::Kind::null)
      diagnostics.error(e.value.span, "'" + e.key + "' holds arguments, got '" + dsl::shortened(e.value.text) + "'");
    else if (section)
      for (const dsl::Entry& inside : e.value.entries) entries.push_back(&inside);
    else if (in(e.key, kOfTests)) continue;
    else if (e.value.kind != dsl::Node::Kind::map) entries.push_back(&e);
    else diagnostics.warning(e.key_span, "unknown section '" + dsl::shortened(e.key) + "'");
  }
  return flags_of_arguments(std::move(entries), diagnostics);
}

YamlFlags flags_of_arguments(std::vector<const dsl::Entry*> arguments, dsl::Diagnostics& diagnostics) {
  return Translator(std::move(arguments), diagnostics).translate();
}

SwitchField field_of_switch(const std::string& key, bool on) {
  const auto* row = std::ranges::find_if(kKeys, [&](const YamlKey& k) { return key == k.key; });
  const bool is_inverse = row != std::end(kKeys) && row->off;
  const FieldFlag* flag = megatron_lm().field_of(is_inverse ? row->off : flag_of_argument(key));
  if (!flag || !flag->value) return {};
  const std::string value = flag->value, other = value == "true" ? "false" : value == "false" ? "true" : "";
  return on != is_inverse ? SwitchField{flag->field, value}
         : other.empty()  ? SwitchField{}
                          : SwitchField{flag->field, other};
}

std::string key_of_flag(std::string_view flag) {
  for (const YamlKey& row : kKeys)
    if ((row.flag && flag == row.flag) || (row.off && flag == row.off)) return row.key;
  std::string key(flag.substr(2));
  std::ranges::replace(key, '-', '_');
  return key;
}

bool is_argument(const std::string& key) {
  const bool renamed = std::ranges::any_of(kKeys, [&](const YamlKey& row) { return key == row.key; });
  return renamed || in(key, kNoFlags) || megatron_lm().role_of(flag_of_argument(key)) != FlagRole::unknown;
}

std::vector<std::string> argument_names() {
  std::vector<std::string> names;
  std::vector<std::string> all = megatron_lm().names();
  for (std::string& name : all) {
    std::ranges::replace(name, '-', '_');
    if (!name.ends_with('*')) names.push_back(name.substr(2));
  }
  for (const YamlKey& row : kKeys) names.emplace_back(row.key);
  return names;
}

}  // namespace planner::megatron
