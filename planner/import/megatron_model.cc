// What the flags say of the model.
#include <algorithm>

#include "planner/import/list_pattern.h"
#include "planner/import/megatron_layers.h"

namespace planner::megatron {
namespace {

/// Without --ffn-hidden-size: 4 hidden, or two thirds of that in a multiple of 64 with SwiGLU.
void width(Flags& f) {
  if (f.has("--ffn-hidden-size")) return;
  const int64_t hidden = f.count_of("model.hidden", 0);
  if (hidden == 0) return;
  const int64_t narrow = static_cast<int64_t>(static_cast<double>(4 * hidden * 2) / 3 / 64) * 64;
  f.put("model.ffn", f.has("--swiglu") ? narrow : 4 * hidden, "--ffn-hidden-size");
}

void activation(Flags& f) {
  if (f.is_deepspeed() && f.has("--glu-activation")) return deepspeed_activation(f);
  if (f.has("--swiglu")) {
    f.put("model.gated_mlp", "true", "--swiglu");
    return f.put("model.activation", "silu", "--swiglu");
  }
  if (f.has("--quick-geglu")) f.put("model.gated_mlp", "true", "--quick-geglu");
  if (f.has("--squared-relu")) f.put("model.activation", "squared-relu", "--squared-relu");
}

void latent_attention(Flags& f) {
  f.put("model.head_dim", f.count("--qk-head-dim", 128), "--qk-head-dim");
  f.put("model.latent.rank", f.count("--kv-lora-rank", 32), "--kv-lora-rank");
  if (f.has("--q-lora-rank")) f.put("model.latent.query_rank", f.count("--q-lora-rank", 0), "--q-lora-rank");
  f.put("model.latent.rotary_dim", f.count("--qk-pos-emb-head-dim", 64), "--qk-pos-emb-head-dim");
  f.put("model.latent.value_dim", f.count("--v-head-dim", 128), "--v-head-dim");
}

/// Of a hybrid model the letters say which attention it has.
bool is_latent(Flags& f) {
  const char* flag = "--multi-latent-attention";
  const std::string& letters = f.hybrid.layers;
  if (letters.find_first_of("D+") != letters.npos) return true;
  if (f.has(flag) && letters.find('*') != letters.npos)
    f.warn(flag, "has no effect on layers '*' of the pattern; '+' is latent attention");
  return f.has(flag) && letters.find('*') == letters.npos;
}

void attention(Flags& f) {
  if (is_latent(f)) return latent_attention(f);
  for (const char* flag : {"--q-lora-rank", "--kv-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim"})
    if (f.has(flag)) f.warn(flag, "has no effect without --multi-latent-attention");
  if (f.has("--kv-channels")) f.put("model.head_dim", f.count("--kv-channels", 1), "--kv-channels");
  if (f.has("--group-query-attention")) f.put("model.kv_heads", f.count("--num-query-groups", 1), "--num-query-groups");
  else if (f.has("--num-query-groups")) f.warn("--num-query-groups", "has no effect without --group-query-attention");
}

/// (left, right) tokens around each, -1 for all; layers in a pattern of windows and full attention.
void window(Flags& f, const LayerChoices& choices) {
  if (!f.has("--window-size")) return;
  std::string size = f.text("--window-size");
  std::erase_if(size, [](char c) { return c == '(' || c == ')'; });
  size = size.substr(0, size.find(','));
  if (size == "-1") return;
  if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos)
    return f.error("--window-size",
                   "expected two whole numbers for --window-size, got '" + f.text("--window-size") + "'");
  f.put("model.window.size", size, "--window-size");
  std::vector<int> full = choices.windowed;
  for (int& layer : full) layer = layer == 0;
  const auto period = period_of_ones(full);
  if (period && period->first == 0) f.put("model.window.global_every", period->every, "--window-attn-skip-freq");
}

void positions(Flags& f) {
  const bool old = f.has("--use-rotary-position-embeddings");
  const std::string type = old ? "rope" : f.text("--position-embedding-type", "learned_absolute");
  const std::string flag = old ? "--use-rotary-position-embeddings" : "--position-embedding-type";
  if (type == "rope" || type == "mrope" || type == "rotary") return f.put("model.rotary", "true", flag);
  // alibi is added to the scores of the attention.
  if (type == "none" || type == "alibi" || (f.is_deepspeed() && f.has("--no-position-embedding"))) return;
  if (type != "learned_absolute" && type != "absolute") return f.warn(flag, "'" + type + "' is left out");
  const int64_t rows = f.count("--max-position-embeddings", f.count_of("job.sequence", 0));
  if (rows > 0) f.put("model.positions", rows, "--max-position-embeddings");
}

/// Rows of the embedding before padding; 0 where the flags do not say.
int64_t vocabulary(Flags& f) {
  const std::string tokenizer = f.text("--tokenizer-type");
  if (f.has("--vocab-size")) {
    const int64_t size = f.count("--vocab-size", 0);
    return tokenizer == "NullTokenizer" ? size + 1 : size;  // one more for the end of a document
  }
  return tokenizer == "GPT2BPETokenizer" ? 50257 : 0;
}

void vocab(Flags& f) {
  for (const char* padded : {"--padded-vocab-size", "--pad-vocab-size-to"})
    if (f.has(padded) && f.table.reads(padded)) return f.put("model.vocab", f.count(padded, 1), padded);
  const char* flag = f.has("--vocab-size") ? "--vocab-size" : "--tokenizer-type";
  const int64_t rows = vocabulary(f);
  if (rows == 0) return f.leave_open("model.vocab", "the vocabulary as trained, padding included");
  const int64_t multiple =
      std::max<int64_t>(1, f.count("--make-vocab-size-divisible-by", 128)) * f.count_of("parallelism.tp", 1);
  f.put("model.vocab", (rows + multiple - 1) / multiple * multiple, flag);
}

void dropout(Flags& f) {
  const double hidden = f.number("--hidden-dropout", 0.1), inside = f.number("--attention-dropout", 0.1);
  f.put("model.dropout", f.figure("--hidden-dropout", "0.1"), "--hidden-dropout");
  if (hidden == 0 && inside > 0) f.warn("--attention-dropout", "dropout of the attention alone is left out");
}

/// Layers with experts at an even distance; others are kinds of their own (megatron_layers.cc).
void layers_with_experts(Flags& f, const LayerChoices& choices) {
  const char* flag = "--moe-layer-freq";
  const int64_t layers = static_cast<int64_t>(choices.routed.size());
  if (layers == 0) return;
  const bool listed = f.text(flag).find('[') != std::string::npos;
  if (!listed && layers % f.count(flag, 1) == 0) return f.put("model.experts.every", f.count(flag, 1), flag);
  const auto period = listed ? period_of_ones(choices.routed) : std::nullopt;
  if (!period) return;
  f.put("model.experts.first_dense", period->first, flag);
  f.put("model.experts.every", period->every, flag);
}

void experts(Flags& f, const LayerChoices& choices) {
  if (f.is_deepspeed()) return deepspeed_experts(f);
  if (f.count_of("model.experts.count", 0) == 0) return;
  if (f.field("model.experts.shared_ffn")) f.put("model.experts.shared", 1, "--moe-shared-expert-intermediate-size");
  layers_with_experts(f, choices);
}

}  // namespace

void model_rules(Flags& f) {
  read_hybrid(f);
  const bool counted =
      f.has("--encoder-num-layers") || f.has("--hybrid-layer-pattern") || f.has("--hybrid-override-pattern");
  for (const char* flag : {"--num-layers", "--hidden-size", "--num-attention-heads"})
    if (!f.has(flag) && !(flag == std::string("--num-layers") && counted))
      f.error(flag, std::string("missing flag ") + flag);
  const int64_t layers = static_cast<int64_t>(f.hybrid.layers.size());
  const LayerChoices choices = layer_choices(f, layers > 0 ? layers : f.count_of("model.layers", 0));
  width(f);
  attention(f);
  vocab(f);
  positions(f);
  activation(f);
  dropout(f);
  window(f, choices);
  experts(f, choices);
  layer_rules(f, choices);
}

}  // namespace planner::megatron
