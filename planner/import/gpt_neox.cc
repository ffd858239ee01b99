#include "planner/import/gpt_neox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/deepspeed_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/flag_sheet.h"
#include "planner/import/gpt_neox_table.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/run_kinds.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

/// The keys of all files under their names with "_".
dsl::Node joined(const RunFiles& files, dsl::Diagnostics& diagnostics) {
  dsl::Node all(dsl::Node::Kind::map, {files.config, 1, 1, 1});
  std::vector<const dsl::Source*> sources{files.config};
  sources.insert(sources.end(), files.more.begin(), files.more.end());
  for (const dsl::Source* source : sources) {
    const dsl::Node tree = parse_config(*source, diagnostics);
    for (dsl::Entry e : tree.entries) {
      std::ranges::replace(e.key, '-', '_');
      if (all.find(e.key))
        diagnostics.error(e.key_span, "'" + e.key + "' is given twice: GPT-NeoX refuses it", "give one of them");
      else all.entries.push_back(std::move(e));
    }
  }
  return all;
}

/// The keys of a run, as flags of Megatron-DeepSpeed.
class NeoxRun {
 public:
  NeoxRun(const dsl::Node& keys, dsl::Diagnostics& diagnostics) : keys_(keys), diagnostics_(diagnostics) {}

  FlagSheet flags() {
    judge();
    for (const neox::NeoxKey& row : neox::keys()) put_row(row);
    put_default("hidden_dropout", "--hidden-dropout", "0.0");
    put_default("attention_dropout", "--attention-dropout", "0.0");
    if (const int64_t pp = count("pipe_parallel_size", 0); pp > 1)
      sheet_.put("--pipeline-model-parallel-size", *entry("pipe_parallel_size"));
    width();
    shape();
    attention();
    vocabulary();
    precision();
    batches();
    experts();
    machine();
    return std::move(sheet_);
  }

  const std::vector<std::string>& idle() const { return idle_; }

 private:
  const dsl::Entry* entry(std::string_view key) const {
    const auto it = std::ranges::find(keys_.entries, key, &dsl::Entry::key);
    return it == keys_.entries.end() || it->value.kind == dsl::Node::Kind::null ? nullptr : &*it;
  }
  std::string text(std::string_view key, const std::string& otherwise = "") const {
    const dsl::Entry* e = entry(key);
    return e ? e->value.text : otherwise;
  }
  bool is_on(std::string_view key, bool otherwise = false) const {
    return text(key, otherwise ? "true" : "false") == "true";
  }
  void error(std::string_view key, const std::string& message, const std::string& hint = "") {
    const dsl::Entry* e = entry(key);
    diagnostics_.error(e ? e->value.span : keys_.span, message, hint);
  }
  int64_t count(std::string_view key, int64_t otherwise) {
    const dsl::Entry* e = entry(key);
    if (!e) return otherwise;
    const std::optional<std::string> number = megatron::python_number(e->value.text);
    constexpr double kMost = 1e15;
    const double x = number ? std::strtod(number->c_str(), nullptr) : -1;
    if (x == std::floor(x) && x >= 0 && x <= kMost) return static_cast<int64_t>(x);
    error(key, fmt::format("expected a whole number for '{}', got '{}'", key, dsl::shortened(e->value.text)));
    return otherwise;
  }
  /// Puts a value that follows from a key.
  void put_value(std::string_view key, const std::string& flag, const std::string& value) {
    const dsl::Entry* e = entry(key);
    dsl::Entry made{std::string(key), e ? e->key_span : keys_.span,
                    dsl::plain_node(value, e ? e->value.span : keys_.span)};
    if (value.empty()) made.value.kind = dsl::Node::Kind::scalar;
    sheet_.put(flag, made);
    if (value.empty()) sheet_.command.words.pop_back();  // a switch
  }
  void put_default(std::string_view key, const char* flag, const char* value) {
    if (!entry(key)) sheet_.put_default(flag, value, "GPT-NeoX", keys_.span);
  }

  void judge() {
    for (const dsl::Entry& e : keys_.entries) {
      const bool off = e.value.kind == dsl::Node::Kind::null || e.value.text == "false";
      if (!neox::is_known(e.key))
        diagnostics_.error(e.key_span, "unknown key '" + dsl::shortened(e.key) + "': GPT-NeoX refuses it",
                           dsl::did_you_mean(e.key, neox::names()));
      else if (neox::is_lost(e.key)) {
        if (!off) diagnostics_.warning(e.key_span, "'" + e.key + "' has no counterpart in a plan and is left out");
      } else if (!neox::is_rule(e.key) &&
                 std::ranges::none_of(neox::keys(), [&](const neox::NeoxKey& row) { return e.key == row.key; }))
        idle_.push_back(e.key);
    }
  }

  void put_row(const neox::NeoxKey& row) {
    const dsl::Entry* e = entry(row.key);
    if (!e) return;
    const bool is_switch = row.off || megatron::megatron_deepspeed().is_switch(row.flag);
    if (!is_switch) return sheet_.put(row.flag, *e);
    const std::string& word = e->value.text;
    if (word != "true" && word != "false")
      return error(row.key, fmt::format("expected true or false for '{}', got '{}'", row.key, dsl::shortened(word)));
    if (const char* flag = word == "true" ? row.flag : row.off) put_value(row.key, flag, "");
  }

  /// The given width is that of a layer without a gate; a gated one has as many parameters.
  void width() {
    const int64_t hidden = count("hidden_size", 0), multiple = std::max<int64_t>(1, count("mlp_multiple_of", 1));
    const char* key = entry("intermediate_size") ? "intermediate_size" : "expansion_factor";
    int64_t ffn = count("intermediate_size", 4 * hidden);
    if (entry("expansion_factor") && !entry("intermediate_size")) {
      const auto factor = megatron::python_number(text("expansion_factor"));
      if (!factor) return error("expansion_factor", "expected a number for 'expansion_factor'");
      ffn = static_cast<int64_t>(std::strtod(factor->c_str(), nullptr) * static_cast<double>(hidden));
    }
    const bool experts = count("moe_num_experts", 1) > 1;
    if (is_gated() && !experts) ffn = ffn * 2 / 3 / 2;
    put_value(key, "--ffn-hidden-size", std::to_string((ffn + multiple - 1) / multiple * multiple));
  }

  bool is_gated() const {
    constexpr std::string_view kGated[] = {"geglu", "reglu", "swiglu", "bilinear", "glu"};
    return std::ranges::find(kGated, text("activation", "gelu")) != std::end(kGated);
  }

  void shape() {
    const std::string act = text("activation", "gelu"), norm = text("norm", "layernorm"),
                      pos = text("pos_emb", "learned");
    if (act == "swiglu") put_value("activation", "--swiglu", "");
    else if (is_gated()) put_value("activation", "--quick-geglu", "");
    if (norm == "rmsnorm" || norm == "te_rmsnorm") put_value("norm", "--normalization", "rmsnorm");
    else if (norm != "layernorm" && norm != "te_layernorm")
      diagnostics_.warning(entry("norm")->value.span, "norm '" + dsl::shortened(norm) + "' is planned as layernorm");
    if (pos == "rotary") put_value("pos_emb", "--use-rotary-position-embeddings", "");
    else if (pos != "learned") put_value("pos_emb", "--no-position-embedding", "");
    if (!entry("max_position_embeddings") && entry("seq_length"))
      sheet_.put("--max-position-embeddings", *entry("seq_length"));
    if (entry("sliding_window_width")) sheet_.put("--window-size", *entry("sliding_window_width"));
  }

  /// [[["flash"], 24]]: kinds of attention, and how many layers have them.
  void attention() {
    const dsl::Entry* e = entry("attention_config");
    bool flash = false;
    for (const dsl::Node& part : e ? e->value.items : std::vector<dsl::Node>{}) {
      if (part.items.empty()) continue;
      for (const dsl::Node& kind : part.items[0].items) {
        if (kind.text == "flash") flash = true;
        else if (kind.text != "global")
          diagnostics_.error(kind.span, "layers of '" + dsl::shortened(kind.text) + "' are not read",
                             "known: global, flash; `trainplan list model` has models with other layers");
      }
    }
    if (flash) put_value("attention_config", "--use-flash-attn-v2", "");
  }

  void vocabulary() {
    if (entry("padded_vocab_size")) return;
    const std::string type = text("tokenizer_type", "GPT2BPETokenizer"), file = text("vocab_file");
    if (type == "GPT2BPETokenizer" || type == "HFGPT2Tokenizer")
      return put_value("tokenizer_type", "--vocab-size", "50257");
    if (type == "CharLevelTokenizer") return put_value("tokenizer_type", "--vocab-size", "512");
    if (type == "HFTokenizer" && file.find("20B_tokenizer") != std::string::npos)
      return put_value("vocab_file", "--vocab-size", "50277");
  }

  bool enables(std::string_view key) const {
    const dsl::Entry* e = entry(key);
    const dsl::Node* enabled = e ? e->value.find("enabled") : nullptr;
    return enabled && enabled->text == "true";
  }

  void precision() {
    const std::string word = text("precision");
    if (!word.empty() && word != "fp16" && word != "fp32" && word != "bfloat16")
      return error("precision", "unknown precision '" + dsl::shortened(word) + "'", "known: fp16, fp32, bfloat16");
    const bool half = enables("fp16"), brain = enables("bf16");
    if ((half && (brain || (!word.empty() && word != "fp16"))) || (brain && !word.empty() && word != "bfloat16"))
      return error(half ? "fp16" : "bf16", "fp16, bf16 and precision contradict each other",
                   "\"enabled\": false in one of them");
    if (half || word == "fp16") put_value(half ? "fp16" : "precision", "--fp16", "");
    if (brain || word == "bfloat16") put_value(brain ? "bf16" : "precision", "--bf16", "");
  }

  /// Any two of batch, microbatch and accumulation give the third; accumulation is 1 by default.
  void batches() {
    const char *micro = "train_micro_batch_size_per_gpu", *batch = "train_batch_size";
    if (entry(batch)) sheet_.put("--global-batch-size", *entry(batch));
    if (!entry(micro) && !entry(batch))
      return error(micro, fmt::format("missing key {} or {}", micro, batch),
                   "`\"train_micro_batch_size_per_gpu\": 4`, or the other files of the run behind this one");
    if (!entry(micro)) put_value(batch, "--micro-batch-size", "1");  // replaced by put_batches
  }

  void experts() {
    if (count("moe_num_experts", 1) < 2) return;
    sheet_.put("--num-experts", *entry("moe_num_experts"));
    put_value("moe_expert_interval", "--expert-interval", text("moe_expert_interval", "1"));
    put_value("moe_num_experts", "--disable-moe-token-dropping", "");
    put_value("model_parallel_size", "--enable-expert-tensor-parallelism", "");
  }

  void machine() {
    const dsl::Entry *nodes = entry("num_nodes"), *all = entry("global_num_gpus");
    if (nodes && nodes->value.text != "-1") sheet_.put("--num_nodes", *nodes);
    if (all && !entry("num_gpus")) sheet_.put("--num_gpus", *all);
  }

  const dsl::Node& keys_;
  dsl::Diagnostics& diagnostics_;
  FlagSheet sheet_;
  std::vector<std::string> idle_;
};

/// Sizes and fusions that no flag of Megatron-DeepSpeed has.
void put_rest(ImportedRun& run, const dsl::Node& keys) {
  const auto put = [&](const char* field, const std::string& value, const char* key) {
    const dsl::Node* node = keys.find(key);
    const std::string comment = std::string(node ? "" : "default of GPT-NeoX: ") + key;
    put_field(run.scenario, field, value_node(value, node ? node->span : keys.span, comment), keys.span);
  };
  const auto is_on = [&](const char* key) { return keys.find(key) && keys.find(key)->text == "true"; };
  const char *batch = "train_batch_size", *steps = "gradient_accumulation_steps",
             *micro = "train_micro_batch_size_per_gpu";
  const std::string times = keys.find(steps) ? keys.find(steps)->text : "1";
  if (!keys.find(batch)) put("job.global_batch", times + " * parallelism.microbatch * parallelism.dp", steps);
  if (!keys.find(micro)) put("parallelism.microbatch", "job.global_batch / (" + times + " * parallelism.dp)", batch);
  for (const neox::NeoxFusion& row : neox::fusions()) put(row.field, is_on(row.key) ? "true" : "false", row.key);
  if (is_on("scaled_masked_softmax_fusion")) put("software.fusion.softmax", "true", "scaled_masked_softmax_fusion");
  if (is_on("use_flashattn_swiglu")) put("software.fusion.bias_activation", "true", "use_flashattn_swiglu");
  const bool layers = !keys.find("norm") || keys.find("norm")->text == "layernorm";
  const char* norm = layers ? "layernorm_fusion" : "rmsnorm_fusion";
  if (!layers) put("software.fusion.norm", is_on(norm) ? "true" : "false", norm);
  if (is_on("gpt_j_residual")) put("model.parallel_block", "true", "gpt_j_residual");
}

}  // namespace

ImportedRun import_gpt_neox(const RunFiles& files, dsl::Diagnostics& diagnostics) {
  const dsl::Node keys = joined(files, diagnostics);
  if (diagnostics.has_errors()) return {};
  NeoxRun neox(keys, diagnostics);
  FlagSheet sheet = neox.flags();
  if (diagnostics.has_errors()) return {};
  const auto reads = [](const std::string& flag) {
    return flag == "--num_gpus" || flag == "--num_nodes" || flag == "--include";
  };
  const LaunchLine line = read_launch(files.launch, files.shell, reads, diagnostics);
  if (line.is_found()) sheet.put_line(line.command);
  ImportedRun run = import_megatron_deepspeed_keys(std::move(sheet), &keys, files, diagnostics);
  if (diagnostics.has_errors()) return {};
  put_rest(run, keys);
  order_fields(run.scenario, scenario_schema());
  run.ignored.insert(run.ignored.begin(), neox.idle().begin(), neox.idle().end());
  return run;
}

}  // namespace planner
