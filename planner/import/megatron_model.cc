// What the flags say of the model.
#include <algorithm>

#include "planner/import/list_pattern.h"
#include "planner/import/megatron_flags.h"

namespace planner::megatron {
namespace {

/// Without --ffn-hidden-size: 4 hidden, or two thirds of that in a multiple of 64 with SwiGLU.
void width(Flags& f) {
  if (f.has("--ffn-hidden-size")) return f.put("model.ffn", f.count("--ffn-hidden-size", 1), "--ffn-hidden-size");
  const int64_t hidden = f.count_of("model.hidden", 0);
  if (hidden == 0) return;
  const int64_t narrow = static_cast<int64_t>(static_cast<double>(4 * hidden * 2) / 3 / 64) * 64;
  f.put("model.ffn", f.has("--swiglu") ? narrow : 4 * hidden, "--ffn-hidden-size");
}

void activation(Flags& f) {
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

void attention(Flags& f) {
  if (f.has("--multi-latent-attention")) return latent_attention(f);
  for (const char* flag : {"--q-lora-rank", "--kv-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim"})
    if (f.has(flag)) f.warn(flag, "has no effect without --multi-latent-attention");
  if (f.has("--kv-channels")) f.put("model.head_dim", f.count("--kv-channels", 1), "--kv-channels");
  if (f.has("--group-query-attention")) f.put("model.kv_heads", f.count("--num-query-groups", 1), "--num-query-groups");
  else if (f.has("--num-query-groups")) f.warn("--num-query-groups", "has no effect without --group-query-attention");
}

/// (left, right) tokens around each; layers in a pattern of windows and full attention.
void window(Flags& f) {
  if (!f.has("--window-size")) return;
  std::string size = f.text("--window-size");
  std::erase_if(size, [](char c) { return c == '(' || c == ')'; });
  size = size.substr(0, size.find(','));
  if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos)
    return f.error("--window-size",
                   "expected two whole numbers for --window-size, got '" + f.text("--window-size") + "'");
  f.put("model.window.size", size, "--window-size");
  if (!f.has("--window-attn-skip-freq")) return;
  const std::string text = f.text("--window-attn-skip-freq");
  std::optional<Period> full;
  if (auto pattern = list_pattern(text)) {
    for (int& windowed : *pattern) windowed = windowed == 1 ? 0 : 1;
    full = period_of_ones(*pattern);
  } else {
    full = Period{0, f.count("--window-attn-skip-freq", 1)};
  }
  if (full && full->first == 0) return f.put("model.window.global_every", full->every, "--window-attn-skip-freq");
  f.warn("--window-attn-skip-freq", "not a full layer in each n-th: all layers are planned with the window");
}

void positions(Flags& f) {
  const bool old = f.has("--use-rotary-position-embeddings");
  const std::string type = old ? "rope" : f.text("--position-embedding-type", "learned_absolute");
  const std::string flag = old ? "--use-rotary-position-embeddings" : "--position-embedding-type";
  if (type == "rope" || type == "mrope") return f.put("model.rotary", "true", flag);
  if (type == "none") return;
  if (type != "learned_absolute") return f.warn(flag, "'" + type + "' is left out");
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
  if (f.has("--padded-vocab-size"))
    return f.put("model.vocab", f.count("--padded-vocab-size", 1), "--padded-vocab-size");
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

void layers_with_experts(Flags& f) {
  if (!f.has("--moe-layer-freq")) return;
  const std::string text = f.text("--moe-layer-freq");
  const auto pattern = list_pattern(text);
  const auto period = pattern ? period_of_ones(*pattern) : std::nullopt;
  if (!pattern) return f.put("model.experts.every", f.count("--moe-layer-freq", 1), "--moe-layer-freq");
  if (!period) return f.warn("--moe-layer-freq", "uneven pattern: all layers are planned with experts");
  f.put("model.experts.first_dense", period->first, "--moe-layer-freq");
  f.put("model.experts.every", period->every, "--moe-layer-freq");
}

void experts(Flags& f) {
  if (f.count_of("model.experts.count", 0) == 0) return;
  f.put("model.experts.top_k", f.count("--moe-router-topk", 2), "--moe-router-topk");
  const char* width = "--moe-ffn-hidden-size";
  if (f.has(width)) f.put("model.experts.ffn", f.count(width, 1), width);
  const char* shared = "--moe-shared-expert-intermediate-size";
  if (f.has(shared)) {
    f.put("model.experts.shared", 1, shared);
    f.put("model.experts.shared_ffn", f.count(shared, 0), shared);
  }
  layers_with_experts(f);
}

}  // namespace

void model_rules(Flags& f) {
  for (const char* flag : {"--num-layers", "--hidden-size", "--num-attention-heads"})
    if (!f.has(flag) && !(flag == std::string("--num-layers") && f.has("--encoder-num-layers")))
      f.error(flag, std::string("missing flag ") + flag);
  width(f);
  attention(f);
  vocab(f);
  positions(f);
  activation(f);
  if (f.text("--normalization") == "RMSNorm") f.put("model.norm", "rmsnorm", "--normalization");
  if (f.has("--add-qkv-bias") && f.has("--disable-bias-linear")) f.put("model.qkv_bias", "true", "--add-qkv-bias");
  const char* untie = "--untie-embeddings-and-output-weights";
  f.put("model.tied_embeddings", f.has(untie) ? "false" : "true", untie);
  dropout(f);
  if (f.text("--softmax-type") == "learnable") f.put("model.sinks", "true", "--softmax-type");
  if (f.has("--activation-func-clamp-value"))
    f.put("model.clamp", f.text("--activation-func-clamp-value"), "--activation-func-clamp-value");
  window(f);
  experts(f);
}

}  // namespace planner::megatron
