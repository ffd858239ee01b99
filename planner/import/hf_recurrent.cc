// Models with layers of Mamba and RWKV-7: what their keys say together, and their rows.
#include <algorithm>
#include <array>

#include "planner/import/hf_experts.h"
#include "planner/import/hf_keys.h"
#include "planner/import/hf_mixers.h"
#include "planner/import/hf_table.h"

namespace planner::hf {
namespace {

constexpr std::array kTypes{"mamba", "attention"};

/// A key, and what its absence means to transformers' class; 0: it follows from others.
struct KeySize {
  const char* key;
  int64_t otherwise;
};

/// The whole number at the key; absent or "auto" it is `otherwise`.
int64_t number_at(ConfigReader& reader, const char* key, int64_t otherwise) {
  const dsl::Node* value = reader.find(key);
  return value && value->text != "auto" ? reader.positive(*value) : otherwise;
}

void put(ConfigReader& reader, LayerDraft& draft, const char* field, const KeySize& size, int64_t derived = 0) {
  const int64_t value = number_at(reader, size.key, size.otherwise > 0 ? size.otherwise : derived);
  draft.fields.push_back({field, std::to_string(value)});
}

struct MambaKeys {
  KeySize expand, state, kernel, rank;
};
constexpr MambaKeys kMamba{{"expand", 2}, {"state_size", 16}, {"conv_kernel", 4}, {"time_step_rank", 0}};
constexpr MambaKeys kJamba{{"mamba_expand", 2}, {"mamba_d_state", 16}, {"mamba_d_conv", 4}, {"mamba_dt_rank", 0}};

LayerDraft mamba(ConfigReader& reader, const MambaKeys& keys) {
  LayerDraft draft{"mamba1", {}};
  const int64_t hidden = reader.count("hidden"), expand = number_at(reader, keys.expand.key, keys.expand.otherwise);
  draft.fields.push_back({"heads", std::to_string(expand * hidden)});
  put(reader, draft, "key_dim", keys.state);
  put(reader, draft, "kernel", keys.kernel);
  put(reader, draft, "rank", keys.rank, (hidden + 15) / 16);
  return draft;
}

struct Mamba2Keys {
  KeySize heads, head_dim, groups, state, kernel, chunk, expand;
};
constexpr Mamba2Keys kMamba2{{"num_heads", 128}, {"head_dim", 64},    {"n_groups", 8}, {"state_size", 128},
                             {"conv_kernel", 4}, {"chunk_size", 256}, {"expand", 2}};
constexpr Mamba2Keys kBamba{{"mamba_n_heads", 128}, {"mamba_d_head", 0}, {"mamba_n_groups", 1},
                            {"mamba_d_state", 256}, {"mamba_d_conv", 4}, {"mamba_chunk_size", 256},
                            {"mamba_expand", 2}};

LayerDraft mamba2(ConfigReader& reader, const Mamba2Keys& keys) {
  LayerDraft draft{"mamba2", {}};
  const int64_t width = number_at(reader, keys.expand.key, keys.expand.otherwise) * reader.count("hidden"),
                heads = number_at(reader, keys.heads.key, keys.heads.otherwise);
  put(reader, draft, "heads", keys.heads);
  put(reader, draft, "value_dim", keys.head_dim, std::max<int64_t>(1, width / heads));
  put(reader, draft, "key_heads", keys.groups);
  put(reader, draft, "key_dim", keys.state);
  put(reader, draft, "kernel", keys.kernel);
  put(reader, draft, "chunk", keys.chunk);
  return draft;
}

/// Every n-th layer, from an offset.
struct LayerPeriod {
  int64_t every = 1, from = 0;
  bool at(int64_t layer) const { return layer % every == from; }
};
LayerPeriod period(ConfigReader& reader, const char* every, const char* from, LayerPeriod otherwise) {
  LayerPeriod out{number_at(reader, every, otherwise.every), otherwise.from};
  if (const dsl::Node* value = reader.find(from)) out.from = reader.whole(*value);
  return out;
}

void put_hybrid(ConfigReader& reader, const std::vector<bool>& attends, const std::vector<bool>& mixes,
                const LayerDraft& recurrence) {
  std::vector<LayerDraft> drafts;
  for (size_t i = 0; i < attends.size(); ++i) {
    LayerDraft draft = attends[i] ? LayerDraft{"block", {}} : recurrence;
    put_feed_forward(draft, mixes[i]);
    drafts.push_back(std::move(draft));
  }
  reader.put_layers(drafts, "num_hidden_layers");
}

/// All layers are the same recurrence.
void mamba_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  const std::vector<LayerDraft> drafts(static_cast<size_t>(reader.layers()), mamba(reader, kMamba));
  reader.find("intermediate_size"), reader.find("d_inner");  // the expanded width
  reader.put_layers(drafts, "num_hidden_layers");
}

void mamba2_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  reader.put_layers(std::vector<LayerDraft>(static_cast<size_t>(reader.layers()), mamba2(reader, kMamba2)),
                    "num_hidden_layers");
}

/// RWKV-7's time mixing, and an MLP behind each.
void rwkv_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  LayerDraft draft{"rwkv7", {}};
  take(reader, draft, "value_dim", "head_dim");
  // The kind has one rank for all: its matrices together are 4.5 times as wide. Even, as half of one is a width.
  int64_t wide = 0;
  for (const char* key : {"decay_low_rank_dim", "a_low_rank_dim", "v_low_rank_dim", "gate_low_rank_dim"})
    wide += number_at(reader, key, 0);
  if (wide > 0) draft.fields.push_back({"rank", std::to_string(std::max<int64_t>(2, (2 * wide + 9) / 18 * 2))});
  draft.fields.push_back({"feed_forward", "mlp"});
  reader.put_layers(std::vector<LayerDraft>(static_cast<size_t>(reader.layers()), draft), "num_hidden_layers");
}

/// Recurrences and a few layers of attention, each followed by an MLP or experts (`attn_layer_indices`, `layer_types`).
void mamba2_hybrid(ConfigReader& reader) {
  if (!can_list(reader)) return;
  const LayerList types(reader, reader.filled("layer_types"), "layer_types", kTypes);
  const LayerSet indices(reader, reader.filled("attn_layer_indices"), "attn_layer_indices", 0);
  const bool mixes = has_experts(reader);
  if (!mixes) reader.drop("experts");
  std::vector<bool> attends;
  for (int64_t i = 0; i < reader.layers(); ++i)
    attends.push_back(types ? types.at(i) == "attention" : indices.contains(i));
  put_hybrid(reader, attends, std::vector<bool>(attends.size(), mixes), mamba2(reader, kBamba));
}

/// Likewise (Jamba: periods and offsets).
void mamba_hybrid(ConfigReader& reader) {
  if (!can_list(reader)) return;
  const LayerPeriod attention = period(reader, "attn_layer_period", "attn_layer_offset", {8, 4}),
                    experts = period(reader, "expert_layer_period", "expert_layer_offset", {2, 1});
  const bool any = has_experts(reader);
  std::vector<bool> attends, mixes;
  for (int64_t i = 0; i < reader.layers(); ++i)
    attends.push_back(attention.at(i)), mixes.push_back(any && experts.at(i));
  if (!any) reader.drop("experts");
  put_hybrid(reader, attends, mixes, mamba(reader, kJamba));
}

constexpr ConfigKey kMambaShape[] = {{"num_hidden_layers|n_layer", "layers"},
                                     {"hidden_size|d_model", "hidden", kNeeded},
                                     {"vocab_size", "vocab", kNeeded}};
constexpr ConfigKey kMamba2Shape[] = {{"num_hidden_layers|n_layer", "layers"},
                                      {"hidden_size|d_model", "hidden", kNeeded},
                                      {"num_heads", "heads", "128"},
                                      {"vocab_size", "vocab", kNeeded}};
// fla, RWKV7Config
constexpr ConfigKey kRwkvShape[] = {{"num_hidden_layers", "layers"},
                                    {"hidden_size", "hidden", kNeeded},
                                    {"hidden_ratio", "ffn", nullptr, KeyMeaning::of_hidden},
                                    {"intermediate_size", "ffn"},
                                    {"num_heads", "heads", "1"},
                                    {"vocab_size", "vocab", kNeeded},
                                    {"hidden_act", "activation", "squared-relu", KeyMeaning::activation}};
constexpr ConfigKey kGraniteHybrid[] = {{"num_local_experts", "experts.count"},
                                        {"num_experts_per_tok", "experts.top_k"},
                                        {"intermediate_size", "experts.ffn"},
                                        {"shared_intermediate_size", "experts.shared_ffn"},
                                        {"shared_intermediate_size", "ffn"}};  // of layers without experts
constexpr ConfigKey kJambaKeys[] = {{"num_experts", "experts.count", "16"},
                                    {"num_experts_per_tok", "experts.top_k", "2"},
                                    {"intermediate_size", "experts.ffn"}};
constexpr ModelFact kNoAttention[] = {{"heads", "1"}};  // no layer has them
constexpr ModelFact kUnrotated[] = {{"gated_mlp", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};

constexpr Architecture kRows[] = {
    tied({"MambaForCausalLM", "mamba", "mamba", kMambaShape, {}, kPlainStyle, kNoAttention, mamba_layers}),
    tied({"FalconMambaForCausalLM",
          "falcon_mamba",
          "falcon-mamba",
          kMambaShape,
          {},
          kPlainStyle,
          kNoAttention,
          mamba_layers}),
    tied({"Mamba2ForCausalLM", "mamba2", "mamba2", kMamba2Shape, {}, kPlainStyle, {}, mamba2_layers}),
    {"RWKV7ForCausalLM", "rwkv7", "rwkv7", kRwkvShape, {}, {}, {}, rwkv_layers},
    {"BambaForCausalLM", "bamba", "bamba", kMixedShape, {}, kLlamaStyle, {}, mamba2_hybrid},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "granite", kMixedShape, kGraniteHybrid, kUnrotated, kOneShared,
     mamba2_hybrid},
    {"JambaForCausalLM", "jamba", "jamba", kMixedShape, kJambaKeys, kUnrotated, {}, mamba_hybrid},
};

}  // namespace

std::span<const Architecture> recurrent_families() { return kRows; }

}  // namespace planner::hf
