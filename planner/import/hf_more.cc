#include "planner/import/hf_more.h"

#include <algorithm>
#include <array>

#include "planner/import/hf_mixers.h"

namespace planner::hf {
namespace {

/// Full attention in each n-th layer and nowhere else: n; 0 where the layers have no such pattern.
int64_t period_of_full(const dsl::Node& types) {
  int64_t period = 0, index = 0;
  for (const dsl::Node& type : types.items) {
    const bool full = type.text == "full_attention";
    ++index;
    if (full && period == 0) period = index;
    if (period > 0 && full != (index % period == 0)) return 0;
  }
  return period;
}

int64_t count_of(const dsl::Node& list, const char* word) {
  int64_t n = 0;
  for (const dsl::Node& item : list.items) n += item.text == word;
  return n;
}

struct LlamaGeneration {
  const char *family, *vocabulary, *positions;  // "": any
};
// The configurations of meta-llama.
constexpr LlamaGeneration kLlamas[] = {
    {"llama", "32000", "2048"}, {"llama2", "32000", "4096"}, {"llama3", "128256", ""}};

bool is_generation(ConfigReader& reader, const LlamaGeneration& row) {
  const dsl::Node *vocabulary = reader.find("vocab_size"), *positions = reader.find("max_position_embeddings");
  if (!vocabulary || vocabulary->text != row.vocabulary) return false;
  return !*row.positions || (positions && positions->text == row.positions);
}

void llama_biases(ConfigReader& reader) {
  const bool attention = reader.is_true("attention_bias"), mlp = reader.is_true("mlp_bias");
  if (attention && mlp) return reader.put("bias", "true", "attention_bias");
  if (attention) reader.put("qkv_bias", "true", "attention_bias");
  if (attention) reader.warn("attention_bias", "the bias of the attention's output is left out");
  if (mlp) reader.warn("mlp_bias", "biases of the MLP alone are left out");
}

constexpr std::array kMptKeys{"attn_type",      "attn_pdrop", "attn_impl", "clip_qkv", "softmax_scale", "alibi",
                              "alibi_bias_max", "kv_n_heads", "qk_ln",     "rope",     "rope_theta"};

bool says(const dsl::Node& map, const char* key, const char* word) {
  const dsl::Node* value = map.find(key);
  return value && value->text == word;
}

/// The position of the first layer with the whole sequence, from 1; 0 if the pattern is not such a text.
int64_t period_of(const std::string& pattern) {
  const size_t whole = pattern.find('G');
  const bool plain = whole + 1 == pattern.size() && pattern.find_first_not_of('L') == whole;
  return plain ? static_cast<int64_t>(pattern.size()) : 0;
}

}  // namespace

void llama_biases_and_family(ConfigReader& reader) {
  llama_biases(reader);
  for (const LlamaGeneration& row : kLlamas)
    if (is_generation(reader, row)) reader.put("family", row.family, "vocab_size");
}

void layer_types(ConfigReader& reader) {
  const dsl::Node* types = reader.find("layer_types");
  if (!types || types->items.empty()) return;
  const int64_t full = count_of(*types, "full_attention"), sliding = count_of(*types, "sliding_attention");
  const int64_t all = static_cast<int64_t>(types->items.size());
  if (full + sliding != all) reader.warn("layer_types", "only full and sliding attention are known");
  if (all != reader.layers())
    reader.warn("layer_types", "has " + std::to_string(all) + " items, not one for each layer");
  if (sliding == 0) return reader.drop("window");
  const int64_t period = full == 0 ? 0 : period_of_full(*types);
  if (full > 0 && period == 0) {
    reader.warn("layer_types", "the pattern is uneven: full attention is planned in each n-th layer, as often");
    return reader.put("window.global_every", std::to_string((all + full / 2) / full), "layer_types");
  }
  reader.put("window.global_every", std::to_string(period), "layer_types");
}

void qwen_window(ConfigReader& reader) {
  const dsl::Node* size = reader.find("sliding_window");
  if (!reader.is_true("use_sliding_window") || !size) {
    reader.find("layer_types");  // without a window they are all full
    return;
  }
  reader.put("window.size", size->text, "sliding_window");
  if (reader.find("layer_types")) return layer_types(reader);
  const int64_t full = reader.whole_at("max_window_layers", 0);
  if (full >= reader.layers()) return reader.drop("window");
  if (full == 0) return;
  reader.warn("max_window_layers", "a window in the last layers only is left out");
  reader.drop("window");
}

void qwen_experts(ConfigReader& reader) {
  qwen_window(reader);
  const dsl::Node* dense = reader.find("mlp_only_layers");
  if (!dense || dense->items.empty()) return;
  int64_t leading = 0;
  for (const dsl::Node& layer : dense->items) leading += reader.whole(layer) == leading;
  if (leading != static_cast<int64_t>(dense->items.size()))
    reader.warn("mlp_only_layers", "dense layers behind the first with experts are planned with experts");
  if (leading > 0) reader.put("experts.first_dense", std::to_string(leading), "mlp_only_layers");
}

void expert_groups(ConfigReader& reader) {
  const dsl::Node *groups = reader.find("n_group"), *chosen = reader.find("topk_group");
  const dsl::Node* method = reader.find("topk_method");
  if (!groups || (method && method->text == "greedy")) return;
  reader.put("experts.groups", groups->text, "n_group");
  if (chosen) reader.put("experts.groups_per_token", chosen->text, "topk_group");
}

void deepseek_routing(ConfigReader& reader) {
  expert_groups(reader);
  const dsl::Node* every = reader.find("moe_layer_freq");
  if (!every || every->text == "1") return;
  reader.put("experts.every", every->text, "moe_layer_freq");
  reader.warn("moe_layer_freq", "layers with experts are counted from the first of them");
}

void exaone_window(ConfigReader& reader) {
  const dsl::Node *size = reader.find("sliding_window"), *pattern = reader.find("sliding_window_pattern");
  if (!size) {
    reader.find("layer_types");  // without a window they are all full
    return;
  }
  reader.put("window.size", size->text, "sliding_window");
  reader.put("window.global_every", "4", "sliding_window_pattern");  // transformers, Exaone4Config
  if (pattern && period_of(pattern->text) > 0)
    reader.put("window.global_every", std::to_string(period_of(pattern->text)), "sliding_window_pattern");
  else if (pattern) reader.put("window.global_every", std::to_string(reader.whole(*pattern)), "sliding_window_pattern");
  layer_types(reader);
}

void ernie_last_layer(ConfigReader& reader) {
  const dsl::Node* last = reader.find("moe_layer_end_index");
  if (!last || last->text == "-1" || reader.whole(*last) >= reader.layers() - 1) return;
  reader.warn("moe_layer_end_index", "layers behind it are planned with experts");
}

void falcon_heads(ConfigReader& reader) {
  const bool modern = reader.is_true("new_decoder_architecture"), one = !reader.is_false("multi_query");
  const dsl::Node *heads = reader.find("num_kv_heads"), *older = reader.find("n_head_kv");
  if (!heads) heads = older;
  if (modern && heads) reader.put("kv_heads", heads->text, older == heads ? "n_head_kv" : "num_kv_heads");
  if (!modern && one) reader.put("kv_heads", "1", "multi_query");
  if (reader.is_true("alibi")) reader.put("rotary", "false", "alibi");
}

void mpt_attention(ConfigReader& reader) {
  const dsl::Node* config = section(reader, "attn_config", kMptKeys);
  if (!config) return;
  const dsl::Node* heads = config->find("kv_n_heads");
  if (says(*config, "attn_type", "multiquery_attention")) reader.put("kv_heads", "1", "attn_config");
  else if (heads && heads->kind != dsl::Node::Kind::null) reader.put("kv_heads", heads->text, "attn_config");
  if (says(*config, "qk_ln", "true")) reader.put("qk_norm", "true", "attn_config");
  if (says(*config, "rope", "true")) reader.put("rotary", "true", "attn_config");
}

void opt_embedding(ConfigReader& reader) {
  const dsl::Node *narrow = reader.find("word_embed_proj_dim"), *hidden = reader.find("hidden_size");
  if (narrow && hidden && narrow->text != hidden->text)
    reader.warn("word_embed_proj_dim", "embeddings narrower than layers are planned as wide as these");
}

void shortcut_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  const dsl::Node *count = reader.find("n_routed_experts"), *none = reader.find("zero_expert_num"),
                  *top = reader.find("moe_topk");
  if (!count || !top) return reader.error("moe_topk", "missing: experts of a token");
  // A router that prefers none spreads a token's experts over those that compute and those that do not.
  const int64_t real = reader.positive(*count), idle = none ? reader.whole(*none) : 0;
  const int64_t chosen = std::max<int64_t>(1, (reader.positive(*top) * real + (real + idle) / 2) / (real + idle));
  reader.put("experts.top_k", std::to_string(chosen), "moe_topk");
  std::vector<LayerDraft> drafts;
  for (int64_t i = 0; i < reader.layers(); ++i)
    for (const char* use : {"block", "experts", "block"}) drafts.push_back({use, {}});
  reader.put_layers(drafts, "num_layers");
}

}  // namespace planner::hf
