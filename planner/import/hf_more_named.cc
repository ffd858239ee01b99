// What families with keys of their own say in more than one key.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/import/hf_mixers.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

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
