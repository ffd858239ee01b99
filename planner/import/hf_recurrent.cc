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

/// A field of a layer, its key, and what its absence means to transformers' class.
struct LayerSize {
  const char *field, *key;
  int64_t otherwise;
};

void put(ConfigReader& reader, LayerDraft& draft, std::span<const LayerSize> sizes) {
  for (const LayerSize& size : sizes)
    draft.fields.push_back({size.field, std::to_string(reader.positive_at(size.key, size.otherwise))});
}

/// `expand`, `rank`: of the width, by default twice and a sixteenth.
LayerDraft mamba(ConfigReader& reader, std::span<const LayerSize> sizes, const char* expand, const char* rank) {
  LayerDraft draft{"mamba1", {}};
  const int64_t hidden = reader.count("hidden");
  draft.fields.push_back({"heads", std::to_string(reader.positive_at(expand, 2) * hidden)});
  put(reader, draft, sizes);
  put(reader, draft, std::array{LayerSize{"rank", rank, (hidden + 15) / 16}});
  return draft;
}
constexpr LayerSize kMamba[] = {{"key_dim", "state_size", 16}, {"kernel", "conv_kernel", 4}},
                    kJamba[] = {{"key_dim", "mamba_d_state", 16}, {"kernel", "mamba_d_conv", 4}};

constexpr LayerSize kMamba2[] = {{"heads", "num_heads", 128},  {"value_dim", "head_dim", 64},
                                 {"key_heads", "n_groups", 8}, {"key_dim", "state_size", 128},
                                 {"kernel", "conv_kernel", 4}, {"chunk", "chunk_size", 256}};

LayerDraft bamba(ConfigReader& reader) {
  const int64_t width = reader.positive_at("mamba_expand", 2) * reader.count("hidden"),
                heads = reader.positive_at("mamba_n_heads", 128);
  LayerDraft draft{"mamba2", {}};
  put(reader, draft,
      std::array{LayerSize{"heads", "mamba_n_heads", 128},
                 LayerSize{"value_dim", "mamba_d_head", std::max<int64_t>(1, width / heads)},
                 LayerSize{"key_heads", "mamba_n_groups", 1}, LayerSize{"key_dim", "mamba_d_state", 256},
                 LayerSize{"kernel", "mamba_d_conv", 4}, LayerSize{"chunk", "mamba_chunk_size", 256}});
  return draft;
}

/// Every n-th layer, from an offset.
struct LayerPeriod {
  int64_t every = 1, from = 0;
  bool at(int64_t layer) const { return layer % every == from; }
};
LayerPeriod period(ConfigReader& reader, const char* every, const char* from, LayerPeriod otherwise) {
  return {reader.positive_at(every, otherwise.every), reader.whole_at(from, otherwise.from)};
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

/// All layers are the same.
void put_alike(ConfigReader& reader, const LayerDraft& draft) {
  reader.put_layers(std::vector<LayerDraft>(static_cast<size_t>(reader.layers()), draft), "num_hidden_layers");
}

void mamba_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  reader.find("intermediate_size"), reader.find("d_inner");  // the expanded width
  put_alike(reader, mamba(reader, kMamba, "expand", "time_step_rank"));
}

void mamba2_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  LayerDraft draft{"mamba2", {}};
  put(reader, draft, kMamba2);
  put_alike(reader, draft);
}

/// RWKV-7's time mixing, and an MLP behind each.
void rwkv_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  LayerDraft draft{"rwkv7", {}};
  take(reader, draft, "value_dim", "head_dim");
  // The kind has one rank for all: its matrices together are 4.5 times as wide. Even, as half of one is a width.
  int64_t wide = 0;
  for (const char* key : {"decay_low_rank_dim", "a_low_rank_dim", "v_low_rank_dim", "gate_low_rank_dim"})
    wide += reader.positive_at(key, 0);
  if (wide > 0) draft.fields.push_back({"rank", std::to_string(std::max<int64_t>(2, (2 * wide + 9) / 18 * 2))});
  draft.fields.push_back({"feed_forward", "mlp"});
  put_alike(reader, draft);
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
  put_hybrid(reader, attends, std::vector<bool>(attends.size(), mixes), bamba(reader));
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
  put_hybrid(reader, attends, mixes, mamba(reader, kJamba, "mamba_expand", "mamba_dt_rank"));
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

constexpr Architecture mamba_model(const char* name, const char* model_type, const char* family) {
  return tied({name, model_type, family, kMambaShape, {}, kPlainStyle, kNoAttention, mamba_layers});
}

constexpr Architecture kRows[] = {
    mamba_model("MambaForCausalLM", "mamba", "mamba"),
    mamba_model("FalconMambaForCausalLM", "falcon_mamba", "falcon-mamba"),
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
