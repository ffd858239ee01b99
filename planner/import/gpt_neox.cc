#include "planner/import/gpt_neox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "dsl/raw_text.h"
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

/// The keys of a run, as flags of Megatron-DeepSpeed and as fields.
class NeoxRun {
 public:
  NeoxRun(const dsl::Node& keys, dsl::Diagnostics& diagnostics)
      : keys_(keys),
        diagnostics_(diagnostics),
        flags_({}, keys.span, diagnostics),
        c_(keys, neox::key_table(), flags_, false, diagnostics) {}

  FlagSheet flags() {
    idle_ = c_.judge();
    for (const OldName& row : neox::key_table().old_names) put_row(row);
    put_default("hidden_dropout", "--hidden-dropout", "0.0");
    put_default("attention_dropout", "--attention-dropout", "0.0");
    if (c_.count("pipe_parallel_size", 0) > 1)
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

  /// Puts sizes and fusions that no flag of Megatron-DeepSpeed has.
  void put_rest(ImportedRun& run) {
    flags_.scenario = std::move(run.scenario);
    c_.put_fields();
    const char *batch = "train_batch_size", *steps = "gradient_accumulation_steps",
               *micro = "train_micro_batch_size_per_gpu";
    const std::string times = text(steps, "1");
    if (!entry(batch)) c_.put("job.global_batch", times + " * parallelism.microbatch * parallelism.dp", steps);
    if (!entry(micro)) c_.put("parallelism.microbatch", "job.global_batch / (" + times + " * parallelism.dp)", batch);
    for (const FieldKey& row : kSwitches)
      if (c_.is_true(row.name)) c_.put(row.field, "true", row.name);
    const bool layers = text("norm", "layernorm") == "layernorm";
    const char* norm = layers ? "layernorm_fusion" : "rmsnorm_fusion";
    if (!layers) c_.put("software.fusion.norm", c_.is_true(norm) ? "true" : "false", norm);
    run.scenario = std::move(flags_.scenario);
    run.ignored.insert(run.ignored.begin(), idle_.begin(), idle_.end());
  }

 private:
  /// Switches of what another key may have said already.
  static constexpr FieldKey kSwitches[] = {{"scaled_masked_softmax_fusion", "software.fusion.softmax"},
                                           {"use_flashattn_swiglu", "software.fusion.bias_activation"},
                                           {"gpt_j_residual", "model.parallel_block"}};

  const dsl::Entry* entry(std::string_view key) const {
    const auto it = std::ranges::find(keys_.entries, key, &dsl::Entry::key);
    return it == keys_.entries.end() || it->value.kind == dsl::Node::Kind::null ? nullptr : &*it;
  }
  std::string text(std::string_view key, const std::string& otherwise = "") const {
    const dsl::Entry* e = entry(key);
    return e ? e->value.text : otherwise;
  }
  /// Puts a value that follows from a key; without one it is a switch.
  void put_value(std::string_view key, const std::string& flag, const std::string& value = "") {
    const dsl::Entry* e = entry(key);
    const dsl::Span key_span = e ? e->key_span : keys_.span, span = e ? e->value.span : keys_.span;
    sheet_.put(flag, {std::string(key), key_span, value_node(value, span)});
    if (value.empty()) sheet_.command.words.pop_back();
  }
  void put_default(std::string_view key, const char* flag, const char* value) {
    if (!entry(key)) sheet_.put_default(flag, value, "GPT-NeoX", keys_.span);
  }
  void put_row(const OldName& row) {
    const dsl::Entry* e = entry(row.old);
    if (e && !megatron::megatron_deepspeed().is_switch(row.now)) sheet_.put(row.now, *e);
    else if (e && c_.is_true(row.old)) put_value(row.old, row.now);
  }

  /// The given width is that of a layer without a gate; a gated one has as many parameters.
  void width() {
    const int64_t multiple = std::max<int64_t>(1, c_.count("mlp_multiple_of", 1));
    const char* key = entry("intermediate_size") ? "intermediate_size" : "expansion_factor";
    constexpr double kMostWide = 1e15;
    const double factor = std::strtod(c_.figure("expansion_factor", "4").c_str(), nullptr),
                 hidden = static_cast<double>(c_.count("hidden_size", 0));
    int64_t ffn = c_.count("intermediate_size", static_cast<int64_t>(std::min(factor * hidden, kMostWide)));
    const bool experts = c_.count("moe_num_experts", 1) > 1;
    if (is_gated() && !experts) ffn = ffn * 2 / 3 / 2;
    put_value(key, "--ffn-hidden-size", std::to_string((ffn + multiple - 1) / multiple * multiple));
  }

  bool is_gated() const {
    constexpr std::string_view kGated[] = {"geglu", "reglu", "swiglu", "bilinear", "glu"};
    return std::ranges::find(kGated, text("activation", "gelu")) != std::end(kGated);
  }

  void shape() {
    if (entry("use_bias_in_mlp") && !c_.is_true("use_bias_in_mlp"))
      put_value("use_bias_in_mlp", "--disable-bias-linear");
    const std::string act = text("activation", "gelu"), norm = text("norm", "layernorm"),
                      pos = text("pos_emb", "learned");
    if (act == "swiglu") put_value("activation", "--swiglu");
    else if (is_gated()) put_value("activation", "--quick-geglu");
    if (norm == "rmsnorm" || norm == "te_rmsnorm") put_value("norm", "--normalization", "rmsnorm");
    else if (norm != "layernorm" && norm != "te_layernorm")
      c_.warn("norm", "norm '" + dsl::shortened(norm) + "' is planned as layernorm");
    if (pos == "rotary") put_value("pos_emb", "--use-rotary-position-embeddings");
    else if (pos != "learned") put_value("pos_emb", "--no-position-embedding");
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
    if (flash) put_value("attention_config", "--use-flash-attn-v2");
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

  void precision() {
    const std::string word = text("precision");
    if (!word.empty() && word != "fp16" && word != "fp32" && word != "bfloat16")
      return c_.error("precision", "unknown precision '" + dsl::shortened(word) + "'", "known: fp16, fp32, bfloat16");
    const bool half = c_.is_true("fp16.enabled"), brain = c_.is_true("bf16.enabled");
    if ((half && (brain || (!word.empty() && word != "fp16"))) || (brain && !word.empty() && word != "bfloat16"))
      return c_.error(half ? "fp16" : "bf16", "fp16, bf16 and precision contradict each other",
                      "\"enabled\": false in one of them");
    if (half || word == "fp16") put_value(half ? "fp16" : "precision", "--fp16");
    if (brain || word == "bfloat16") put_value(brain ? "bf16" : "precision", "--bf16");
  }

  /// Any two of batch, microbatch and accumulation give the third; accumulation is 1 by default.
  void batches() {
    const char *micro = "train_micro_batch_size_per_gpu", *batch = "train_batch_size";
    if (entry(batch)) sheet_.put("--global-batch-size", *entry(batch));
    if (!entry(micro) && !entry(batch))
      return c_.error(micro, fmt::format("missing key {} or {}", micro, batch),
                      "`\"train_micro_batch_size_per_gpu\": 4`, or the other files of the run behind this one");
    if (!entry(micro)) put_value(batch, "--micro-batch-size", "1");  // replaced by put_batches
  }

  void experts() {
    if (c_.count("moe_num_experts", 1) < 2) return;
    sheet_.put("--num-experts", *entry("moe_num_experts"));
    put_value("moe_expert_interval", "--expert-interval", text("moe_expert_interval", "1"));
    put_value("moe_num_experts", "--disable-moe-token-dropping");
    put_value("model_parallel_size", "--enable-expert-tensor-parallelism");
  }

  void machine() {
    const dsl::Entry *nodes = entry("num_nodes"), *all = entry("global_num_gpus");
    if (nodes && nodes->value.text != "-1") sheet_.put("--num_nodes", *nodes);
    if (all && !entry("num_gpus")) sheet_.put("--num_gpus", *all);
  }

  const dsl::Node& keys_;
  dsl::Diagnostics& diagnostics_;
  megatron::Flags flags_;  // of no launch line: they hold the scenario
  Settings c_;
  FlagSheet sheet_;
  std::vector<std::string> idle_;
};

}  // namespace

ImportedRun import_gpt_neox(const RunFiles& files, dsl::Sources&, dsl::Diagnostics& diagnostics) {
  const dsl::Node keys = joined(files, diagnostics);
  if (diagnostics.has_errors()) return {};
  NeoxRun neox(keys, diagnostics);
  FlagSheet sheet = neox.flags();
  if (diagnostics.has_errors()) return {};
  const LaunchLine line = read_launch(files.launch, files.shell, reads_flag_of(neox::key_table()), diagnostics);
  if (line.is_found()) sheet.put_line(line.command);
  ImportedRun run = import_megatron_deepspeed_keys(std::move(sheet), &keys, files, diagnostics);
  if (diagnostics.has_errors()) return {};
  neox.put_rest(run);
  order_fields(run.scenario, scenario_schema());
  return run;
}

}  // namespace planner
