#include "planner/import/hf_mixed.h"

#include <algorithm>
#include <optional>

#include "dsl/raw_text.h"
#include "planner/import/hf_layers.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

/// Says of each layer whether it has experts.
class ExpertLayers {
 public:
  explicit ExpertLayers(ConfigReader& reader)
      : mixes_(reader.model.find("experts") != nullptr),
        freq_(reader.find("moe_layer_freq")),
        types_(reader.find("mlp_layer_types")),
        dense_(reader.find("mlp_only_layers")) {
    if (const dsl::Node* first = reader.find("first_k_dense_replace")) first_ = reader.whole(*first);
    if (const dsl::Node* step = reader.find("interleave_moe_layer_step"))
      every_ = std::max<int64_t>(1, reader.whole(*step));
    reader.drop("experts.first_dense");
    reader.drop("experts.every");
  }

  bool at(int64_t layer) const {
    if (!mixes_) return false;
    if (types_ && layer < static_cast<int64_t>(types_->items.size()))
      return types_->items[static_cast<size_t>(layer)].text != "dense";
    if (layer < first_) return false;
    if (freq_ && layer < static_cast<int64_t>(freq_->items.size()))
      return freq_->items[static_cast<size_t>(layer)].text != "0";
    if (dense_ && std::ranges::any_of(dense_->items, [&](const dsl::Node& n) { return n.text == number(layer); }))
      return false;
    return (layer + 1) % every_ == 0;
  }

 private:
  bool mixes_;
  const dsl::Node *freq_, *types_, *dense_;
  int64_t first_ = 0, every_ = 1;
};

/// Puts the field where the key is.
void take(ConfigReader& reader, LayerDraft& draft, const char* field, const char* key) {
  if (const dsl::Node* value = reader.find(key)) draft.fields.emplace_back(field, value->text);
}

// Of all attention layers: what they add to heads of the model.
void add_extras(ConfigReader& reader, LayerDraft& draft) {
  if (reader.is_true("attn_output_gate") || reader.is_true("attention_output_gate") ||
      reader.is_true("mla_use_output_gate"))
    draft.fields.emplace_back("gated", "true");
  if (reader.model.find("latent") == nullptr) take(reader, draft, "query_rank", "q_lora_rank");
  take(reader, draft, "output_rank", "o_lora_rank");
  take(reader, draft, "output_groups", "o_groups");
}

// Gemma 4: layers without a window have heads of their own.
void add_global(ConfigReader& reader, LayerDraft& draft) {
  if (reader.find("num_global_key_value_heads")) take(reader, draft, "kv_heads", "num_global_key_value_heads");
  take(reader, draft, "head_dim", "global_head_dim");
  if (reader.is_true("attention_k_eq_v")) draft.fields.emplace_back("shared_values", "true");
}

void add_indexer(ConfigReader& reader, LayerDraft& draft) {
  take(reader, draft, "indexer.heads", "index_n_heads");
  take(reader, draft, "indexer.head_dim", "index_head_dim");
  take(reader, draft, "indexer.top_k", "index_topk");
}

LayerDraft gated_delta(ConfigReader& reader) {
  LayerDraft draft{"gated-delta", {}};
  take(reader, draft, "heads", "linear_num_value_heads");
  take(reader, draft, "value_dim", "linear_value_head_dim");
  take(reader, draft, "key_heads", "linear_num_key_heads");
  take(reader, draft, "key_dim", "linear_key_head_dim");
  take(reader, draft, "kernel", "linear_conv_kernel_dim");
  return draft;
}

// A layer of full, windowed or chunked attention. A token of a chunk sees half of it on average.
LayerDraft attention(ConfigReader& reader, const std::string& type) {
  LayerDraft draft{"block", {}};
  if (type == "sliding_attention") take(reader, draft, "window", "sliding_window");
  if (type == "chunked_attention")
    if (const dsl::Node* chunk = reader.find("attention_chunk_size"))
      draft.fields.emplace_back("window", number(reader.whole(*chunk) / 2));
  if (type == "full_attention") add_global(reader, draft);
  add_extras(reader, draft);
  return draft;
}

/// Kimi Linear: both lists count layers from 1.
struct LinearLayers {
  const dsl::Node* config = nullptr;
  bool at(int64_t layer) const {
    const dsl::Node* list = config ? config->find("kda_layers") : nullptr;
    return list && std::ranges::any_of(list->items, [&](const dsl::Node& n) { return n.text == number(layer + 1); });
  }
  LayerDraft draft() const {
    const dsl::Node* full = config->find("use_full_rank_gate");
    LayerDraft out{full && full->text == "true" ? "kda-full-gate" : "kda", {}};
    constexpr std::pair<const char*, const char*> kFields[] = {
        {"heads", "num_heads"}, {"value_dim", "head_dim"}, {"kernel", "short_conv_kernel_size"}};
    for (const auto& [field, key] : kFields)
      if (const dsl::Node* value = config->find(key)) out.fields.emplace_back(field, value->text);
    return out;
  }
};

/// MiniMax-M3: layers that attend to blocks which an indexer chooses.
struct SparseLayers {
  const dsl::Node* config = nullptr;
  bool at(int64_t layer) const {
    const dsl::Node* list = config ? config->find("sparse_attention_freq") : nullptr;
    return list && layer < static_cast<int64_t>(list->items.size()) &&
           list->items[static_cast<size_t>(layer)].text != "0";
  }
  LayerDraft draft() const {
    LayerDraft out{"block-sparse-attention", {}};
    constexpr std::pair<const char*, const char*> kFields[] = {{"indexer.heads", "sparse_num_index_heads"},
                                                               {"indexer.head_dim", "sparse_index_dim"},
                                                               {"indexer.top_k", "sparse_topk_blocks"},
                                                               {"indexer.block", "sparse_block_size"}};
    for (const auto& [field, key] : kFields)
      if (const dsl::Node* value = config->find(key)) out.fields.emplace_back(field, value->text);
    return out;
  }
};

/// What mixes tokens in each layer.
class MixerLayers {
 public:
  explicit MixerLayers(ConfigReader& reader)
      : reader_(reader),
        types_(reader.find("layer_types")),
        ratios_(reader.find("compress_ratios")),
        indexed_(reader.find("index_n_heads") != nullptr),
        kimi_{reader.find("linear_attn_config")},
        sparse_{reader.find("sparse_attention_config")} {
    if (const dsl::Node* interval = reader.find("full_attention_interval")) interval_ = reader.whole(*interval);
    if (!reader.find("attention_chunk_size")) return;
    const dsl::Node* whole = reader.find("no_rope_layer_interval");
    whole_every_ = whole ? std::max<int64_t>(1, reader.whole(*whole)) : 4;  // transformers, Llama4TextConfig
  }

  LayerDraft at(int64_t layer) {
    if (kimi_.at(layer)) return kimi_.draft();
    if (sparse_.at(layer)) return sparse_.draft();
    if (ratios_) return compressed(layer);
    const std::string type = type_of(layer);
    if (type == "linear_attention") return gated_delta(reader_);
    LayerDraft draft = attention(reader_, type);
    if (indexed_) {
      draft.use = "sparse-attention";
      add_indexer(reader_, draft);
      if (shares_choice(layer)) draft.fields.emplace_back("indexer.shared", "true");
    }
    return draft;
  }

 private:
  std::string type_of(int64_t layer) {
    if (types_ && layer < static_cast<int64_t>(types_->items.size()))
      return types_->items[static_cast<size_t>(layer)].text;
    if (interval_ > 0) return (layer + 1) % interval_ == 0 ? "full_attention" : "linear_attention";
    if (whole_every_ > 0) return (layer + 1) % whole_every_ == 0 ? "full_attention" : "chunked_attention";
    return "full_attention";
  }

  // GLM-5.2: some layers have an indexer; the layers behind them use the keys that it chose.
  bool shares_choice(int64_t layer) {
    const dsl::Node* kinds = reader_.find("indexer_types");
    return kinds && layer < static_cast<int64_t>(kinds->items.size()) &&
           kinds->items[static_cast<size_t>(layer)].text == "shared";
  }

  // DeepSeek-V4: 0 has the window alone; small ratios leave so many keys that an indexer chooses among them.
  LayerDraft compressed(int64_t layer) {
    constexpr int64_t kIndexed = 16;
    const bool listed = layer < static_cast<int64_t>(ratios_->items.size());
    const int64_t ratio = listed ? reader_.whole(ratios_->items[static_cast<size_t>(layer)]) : 0;
    LayerDraft draft = attention(reader_, "sliding_attention");
    draft.fields.emplace_back("shared_values", "true");
    if (ratio == 0) return draft;
    draft.use = "compressed-attention";
    draft.fields.emplace_back("compression", number(ratio));
    if (ratio <= kIndexed) add_indexer(reader_, draft);
    return draft;
  }

  ConfigReader& reader_;
  const dsl::Node *types_, *ratios_;
  bool indexed_;
  int64_t interval_ = 0, whole_every_ = 0;
  LinearLayers kimi_;
  SparseLayers sparse_;
};

constexpr const char* kTypes[] = {"full_attention", "sliding_attention", "chunked_attention", "linear_attention"};

bool knows_types(ConfigReader& reader) {
  const dsl::Node* types = reader.find("layer_types");
  for (size_t i = 0; types && i < types->items.size(); ++i) {
    const std::string& type = types->items[i].text;
    if (std::ranges::any_of(kTypes, [&](const char* known) { return type == known; })) continue;
    reader.error("layer_types", "unknown kind of layer '" + dsl::shortened(type) + "'",
                 "known: full_attention, sliding_attention, chunked_attention, linear_attention");
    return false;
  }
  return true;
}

// The shared words of both spellings.
struct PartRow {
  const char *letter, *word, *use;
};
constexpr PartRow kParts[] = {
    {"M", "mamba", "mamba2"}, {"*", "attention", "attention"}, {"-", "mlp", "mlp"}, {"E", "moe", "experts"}};

std::optional<LayerDraft> part(ConfigReader& reader, const std::string& said) {
  for (const PartRow& row : kParts) {
    if (said != row.letter && said != row.word) continue;
    LayerDraft draft{row.use, {}};
    if (draft.use == "mamba2") {
      take(reader, draft, "heads", "mamba_num_heads");
      take(reader, draft, "value_dim", "mamba_head_dim");
      take(reader, draft, "key_heads", "n_groups");
      take(reader, draft, "key_dim", "ssm_state_size");
      take(reader, draft, "kernel", "conv_kernel");
      take(reader, draft, "chunk", "chunk_size");
    }
    if (draft.use == "experts") take(reader, draft, "expert_width", "moe_latent_size");
    return draft;
  }
  return std::nullopt;
}

// DeciLM: two thirds of the multiple, up to 256.
int64_t width_of(double multiple, int64_t hidden) {
  constexpr int64_t kStep = 256;
  const auto width = static_cast<int64_t>(2 * multiple * static_cast<double>(hidden) / 3);
  return (width + kStep - 1) / kStep * kStep;
}

bool is_off(const dsl::Node* part) {
  const dsl::Node* off = part ? part->find("no_op") : nullptr;
  return off && off->text == "true";
}

}  // namespace

void mixed_layers(ConfigReader& reader) {
  const int64_t layers = reader.layers();
  const ExpertLayers experts(reader);
  MixerLayers mixers(reader);
  if (!knows_types(reader)) return;
  const dsl::Node *narrow = reader.find("routed_expert_hidden_size"), *streams = reader.find("hc_mult");
  std::vector<LayerDraft> drafts;
  for (int64_t i = 0; i < layers; ++i) {
    LayerDraft draft = mixers.at(i);
    const bool routed = experts.at(i);
    if (draft.use == "block" && routed) draft.use = "experts-block";
    else if (draft.use != "block") draft.fields.emplace_back("feed_forward", routed ? "experts" : "mlp");
    if (routed && narrow) draft.fields.emplace_back("expert_width", narrow->text);
    if (streams) draft.fields.emplace_back("streams", streams->text);
    drafts.push_back(std::move(draft));
  }
  reader.drop("window");
  put_layers(reader, drafts, "num_hidden_layers");
}

void latent_mixed_layers(ConfigReader& reader) {
  deepseek_routing(reader);
  mixed_layers(reader);
}

void hybrid_parts(ConfigReader& reader) {
  const dsl::Node *pattern = reader.find("hybrid_override_pattern"), *list = reader.find("layers_block_type");
  const std::string key = pattern ? "hybrid_override_pattern" : "layers_block_type";
  if (!pattern && !list) return reader.error(key, "missing: it says what each layer is");
  std::vector<std::string> said;
  if (pattern)
    for (char c : pattern->text) said.emplace_back(1, c);
  else
    for (const dsl::Node& item : list->items) said.push_back(item.text);
  if (reader.find("mtp_layers_block_type"))
    reader.warn("mtp_layers_block_type", "a prediction layer is planned as the last layer of the model");
  std::vector<LayerDraft> drafts;
  for (const std::string& one : said) {
    if (one == "|") continue;
    const std::optional<LayerDraft> draft = part(reader, one);
    if (!draft)
      return reader.error(key, "unknown kind of layer '" + dsl::shortened(one) + "'",
                          "known: M (mamba), * (attention), - (mlp), E (moe)");
    drafts.push_back(*draft);
  }
  put_layers(reader, drafts, key);
}

void searched_blocks(ConfigReader& reader) {
  const dsl::Node *blocks = reader.find("block_configs"), *hidden = reader.find("hidden_size"),
                  *heads = reader.find("num_attention_heads");
  if (!blocks || !hidden || !heads) return reader.error("block_configs", "missing: it says what each layer is");
  std::vector<LayerDraft> drafts;
  for (const dsl::Node& block : blocks->items) {
    const dsl::Node *attention = block.find("attention"), *ffn = block.find("ffn");
    LayerDraft draft{"block", {}};
    const dsl::Node *group = attention ? attention->find("n_heads_in_group") : nullptr,
                    *multiple = ffn ? ffn->find("ffn_mult") : nullptr;
    if (is_off(attention)) draft.use = "mlp";
    else if (is_off(ffn)) draft.use = "attention";
    if (draft.use != "mlp" && group && reader.whole(*group) > 0)
      draft.fields.emplace_back("kv_heads", number(reader.whole(*heads) / reader.whole(*group)));
    if (draft.use != "attention" && multiple)
      draft.fields.emplace_back("ffn",
                                number(width_of(std::strtod(multiple->text.c_str(), nullptr), reader.whole(*hidden))));
    drafts.push_back(std::move(draft));
  }
  put_layers(reader, drafts, "block_configs");
}

}  // namespace planner::hf
