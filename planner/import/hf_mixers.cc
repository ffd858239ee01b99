#include "planner/import/hf_mixers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planner::hf {
namespace {

constexpr std::array kTypes{"full_attention", "sliding_attention", "chunked_attention", "linear_attention"};
constexpr std::array kChoices{"full", "shared"};
constexpr std::array kLinearKeys{"kda_layers",      "full_attn_layers",       "num_heads",
                                 "head_dim",        "short_conv_kernel_size", "use_full_rank_gate",
                                 "gate_lower_bound"};
constexpr std::array kSparseKeys{"use_sparse_attention",       "sparse_attention_freq", "sparse_num_index_heads",
                                 "sparse_index_dim",           "sparse_topk_blocks",    "sparse_block_size",
                                 "sparse_disable_index_value", "sparse_init_block",     "sparse_local_block",
                                 "sparse_score_type"};

struct FieldOfKey {
  const char *field, *key;
};

/// As `take`, from a map inside the configuration.
void take_from(ConfigReader& reader, const dsl::Node& map, LayerDraft& draft, std::span<const FieldOfKey> rows) {
  for (const FieldOfKey& row : rows)
    if (const dsl::Node* value = map.find(row.key))
      draft.fields.push_back({row.field, std::to_string(reader.positive(*value))});
}

// For all attention layers: their additions to heads of the model.
void add_extras(ConfigReader& reader, LayerDraft& draft) {
  for (const char* key : {"attn_output_gate", "attention_output_gate", "mla_use_output_gate"})
    if (reader.is_true(key)) {
      draft.fields.push_back({"gated", "true"});
      break;
    }
  if (reader.model.find("latent") == nullptr) take(reader, draft, "query_rank", "q_lora_rank", 0);
  take(reader, draft, "output_rank", "o_lora_rank", 0);
  take(reader, draft, "output_groups", "o_groups");
}

// Gemma 4: layers without a window have heads of their own.
void add_global(ConfigReader& reader, LayerDraft& draft) {
  take(reader, draft, "kv_heads", "num_global_key_value_heads");
  take(reader, draft, "head_dim", "global_head_dim");
  if (reader.is_true("attention_k_eq_v")) draft.fields.push_back({"shared_values", "true"});
}

void add_indexer(ConfigReader& reader, LayerDraft& draft) {
  take(reader, draft, "indexer.heads", "index_n_heads");
  take(reader, draft, "indexer.head_dim", "index_head_dim");
  take(reader, draft, "indexer.top_k", "index_topk");
}

LayerDraft gated_delta(ConfigReader& reader) {
  LayerDraft draft{"gated-delta", {}};
  constexpr FieldOfKey kFields[] = {{"heads", "linear_num_value_heads"},
                                    {"value_dim", "linear_value_head_dim"},
                                    {"key_heads", "linear_num_key_heads"},
                                    {"key_dim", "linear_key_head_dim"},
                                    {"kernel", "linear_conv_kernel_dim"}};
  for (const FieldOfKey& row : kFields) take(reader, draft, row.field, row.key);
  return draft;
}

/// Kimi Linear.
LayerDraft kimi_delta(ConfigReader& reader) {
  const dsl::Node& config = *reader.find("linear_attn_config");
  const dsl::Node* full = config.find("use_full_rank_gate");
  LayerDraft out{full && full->text == "true" ? "kda-full-gate" : "kda", {}};
  constexpr FieldOfKey kFields[] = {
      {"heads", "num_heads"}, {"value_dim", "head_dim"}, {"kernel", "short_conv_kernel_size"}};
  take_from(reader, config, out, kFields);
  return out;
}

/// MiniMax-M3: layers that attend to blocks which an indexer chooses.
LayerDraft chosen_blocks(ConfigReader& reader) {
  LayerDraft out{"block-sparse-attention", {}};
  constexpr FieldOfKey kFields[] = {{"indexer.heads", "sparse_num_index_heads"},
                                    {"indexer.head_dim", "sparse_index_dim"},
                                    {"indexer.top_k", "sparse_topk_blocks"},
                                    {"indexer.block", "sparse_block_size"}};
  take_from(reader, *reader.find("sparse_attention_config"), out, kFields);
  return out;
}

/// The size of a window that layers have; diagnosed if it is missing.
int64_t window_of(ConfigReader& reader, const char* key, const std::string& type) {
  const dsl::Node* size = reader.find(key);
  if (size) return reader.positive(*size);
  reader.error(key, fmt::format("missing: layers of '{}' have it", type));
  return 1;
}

// A layer of full, windowed or chunked attention. A token of a chunk sees half of it on average.
LayerDraft attention(ConfigReader& reader, const std::string& type) {
  LayerDraft draft{"block", {}};
  if (type == "sliding_attention")
    draft.fields.push_back({"window", std::to_string(window_of(reader, "sliding_window", type))});
  if (type == "chunked_attention")
    draft.fields.push_back(
        {"window", std::to_string(std::max<int64_t>(1, window_of(reader, "attention_chunk_size", type) / 2))});
  if (type == "full_attention") add_global(reader, draft);
  add_extras(reader, draft);
  return draft;
}

/// Kimi Linear counts layers from 1.
LayerSet recurrent_layers(ConfigReader& reader) {
  const dsl::Node* config = section(reader, "linear_attn_config", kLinearKeys);
  if (!config) return {};
  const dsl::Node* layers = config->find("kda_layers");
  if (!layers) reader.error_at(*config, "missing key 'kda_layers' of linear_attn_config");
  const LayerSet full(reader, config->find("full_attn_layers"), "linear_attn_config.full_attn_layers", 1);
  return {reader, layers, "linear_attn_config.kda_layers", 1};
}

LayerList sparse_layers(ConfigReader& reader) {
  const dsl::Node* config = section(reader, "sparse_attention_config", kSparseKeys);
  if (!config) return {};
  const dsl::Node *layers = config->find("sparse_attention_freq"), *used = config->find("use_sparse_attention");
  if (used && used->text == "false") return {};
  if (!layers) reader.error_at(*config, "missing key 'sparse_attention_freq' of sparse_attention_config");
  return {reader, layers, "sparse_attention_config.sparse_attention_freq"};
}

}  // namespace

void take(ConfigReader& reader, LayerDraft& draft, const char* field, const char* key, int64_t least) {
  const dsl::Node* value = reader.find(key);
  if (!value) return;
  const int64_t n = least > 0 ? reader.positive(*value) : reader.whole(*value);
  draft.fields.push_back({field, std::to_string(n)});
}

bool can_list(ConfigReader& reader) {
  const dsl::Node* said = reader.model.find("layers");
  if (!said) reader.error("num_hidden_layers", "missing: how many layers the model has");
  if (!said || !reader.is_whole(*said)) return false;
  const int64_t layers = reader.positive(*said);
  if (layers > kMostLayers)
    reader.error_at(*said, fmt::format("expected at most {} layers, got {}", kMostLayers, said->text));
  return layers <= kMostLayers;
}

MixerLayers::MixerLayers(ConfigReader& reader)
    : reader_(reader),
      types_(reader, reader.find("layer_types"), "layer_types", kTypes),
      ratios_(reader, reader.find("compress_ratios"), "compress_ratios", {}, reader.count("mtp")),
      roped_(reader, reader.filled("no_rope_layers"), "no_rope_layers"),
      sparse_(sparse_layers(reader)),
      choices_(reader, reader.find("indexer_types"), "indexer_types", kChoices),
      recurrent_(recurrent_layers(reader)),
      indexed_(reader.find("index_n_heads") != nullptr) {
  interval_ = reader.positive_at("full_attention_interval", 0);
  if (reader.find("attention_chunk_size"))
    whole_every_ =
        std::max<int64_t>(1, reader.whole_at("no_rope_layer_interval", 4));  // transformers, Llama4TextConfig
  if (const dsl::Node* pattern = reader.find("index_topk_pattern")) {
    pattern_ = pattern->text;
    if (static_cast<int64_t>(pattern_.size()) != reader.layers() ||
        pattern_.find_first_not_of("FS") != std::string::npos)
      reader.error("index_topk_pattern", fmt::format("expected {} letters, F or S", reader.layers())), pattern_ = "";
  }
  // transformers, GlmMoeDsaConfig: without a list the indexer runs in every n-th layer.
  choice_every_ = std::max<int64_t>(1, reader.whole_at("index_topk_freq", 1));
  choice_offset_ = reader.whole_at("index_skip_topk_offset", 2);
}

LayerDraft MixerLayers::at(int64_t layer) {
  if (recurrent_.contains(layer)) return kimi_delta(reader_);
  if (sparse_ && sparse_.is_set(layer)) return chosen_blocks(reader_);
  if (ratios_) return compressed(layer);
  const std::string type = type_of(layer);
  if (type == "linear_attention") return gated_delta(reader_);
  LayerDraft draft = attention(reader_, type);
  if (indexed_) {
    draft.use = "sparse-attention";
    add_indexer(reader_, draft);
    if (shares_choice(layer)) draft.fields.push_back({"indexer.shared", "true"});
  }
  return draft;
}

std::string MixerLayers::type_of(int64_t layer) const {
  if (types_) return types_.at(layer);
  if (interval_ > 0) return (layer + 1) % interval_ == 0 ? "full_attention" : "linear_attention";
  if (whole_every_ == 0) return "full_attention";
  const bool chunked = roped_ ? roped_.is_set(layer) : (layer + 1) % whole_every_ != 0;
  return chunked ? "chunked_attention" : "full_attention";
}

// GLM-5.2: some layers have an indexer; the layers behind them use the keys that it chose.
bool MixerLayers::shares_choice(int64_t layer) const {
  if (choices_) return choices_.at(layer) == "shared";
  if (!pattern_.empty()) return pattern_[static_cast<size_t>(layer)] == 'S';
  return std::max<int64_t>(layer - choice_offset_ + 1, 0) % choice_every_ != 0;
}

// DeepSeek-V4: 0 has the window alone. Small ratios leave so many keys that an indexer chooses among them; they pool
// each token twice (inference/model.py, Compressor.overlap).
LayerDraft MixerLayers::compressed(int64_t layer) {
  constexpr int64_t kIndexed = 16, kOverlapping = 4;
  const int64_t ratio = std::stoll(ratios_.at(layer));
  LayerDraft draft = attention(reader_, "sliding_attention");
  draft.fields.push_back({"shared_values", "true"});
  if (ratio == 0) return draft;
  draft.use = "compressed-attention";
  draft.fields.push_back({"compression", std::to_string(ratio)});
  draft.fields.push_back({"overlap", ratio == kOverlapping ? "2" : "1"});
  if (ratio <= kIndexed) add_indexer(reader_, draft);
  return draft;
}

}  // namespace planner::hf
