// Architectures whose layers are of unlike kinds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dsl/raw_text.h"
#include "planner/import/hf_experts.h"
#include "planner/import/hf_mixers.h"
#include "planner/import/hf_more.h"
#include "planner/import/layer_letters.h"

namespace planner::hf {
namespace {

std::optional<LayerDraft> part(ConfigReader& reader, const std::string& said) {
  const LayerLetter* row = hf_letter(said);
  if (!row) return std::nullopt;
  LayerDraft draft{row->use, {}};
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

// DeciLM: two thirds of the multiple, up to 256.
int64_t width_of(double multiple, int64_t hidden) {
  constexpr int64_t kStep = 256;
  const auto width = static_cast<int64_t>(2 * multiple * static_cast<double>(hidden) / 3);
  return (width + kStep - 1) / kStep * kStep;
}

bool says(const dsl::Node* part, const char* key) {
  const dsl::Node* value = part ? part->find(key) : nullptr;
  return value && value->text == "true";
}

/// The layers that the key lists are as many as another key says.
void check_count(ConfigReader& reader, const std::string& key, size_t listed) {
  const dsl::Node* said = reader.find("num_hidden_layers");
  if (said && reader.is_whole(*said) && reader.whole(*said) != static_cast<int64_t>(listed))
    reader.error(key, fmt::format("lists {} layers, and 'num_hidden_layers' says {}", listed, said->text),
                 "list one item for each layer");
}

/// Each layer by its letter or its word; nothing where neither key says it, or diagnosed.
std::vector<std::string> hybrid_words(ConfigReader& reader, std::string& key) {
  const dsl::Node *pattern = reader.find("hybrid_override_pattern"), *list = reader.find("layers_block_type");
  key = pattern ? "hybrid_override_pattern" : "layers_block_type";
  std::vector<std::string> said;
  if (pattern && pattern->kind == dsl::Node::Kind::scalar)
    for (char c : pattern->text)
      if (c != '|') said.emplace_back(1, c);  // where a pipeline may be cut
  if (!pattern && list)
    for (const dsl::Node& item : list->items) said.push_back(item.text);
  if (!said.empty()) return said;
  if (pattern && pattern->kind != dsl::Node::Kind::scalar) reader.error(key, "expected a text, one letter a layer");
  else if (list && list->kind != dsl::Node::Kind::list) reader.error(key, "expected a list of layers");
  else reader.error(key, "missing: it says what each layer is");
  return said;
}

constexpr const char* kPrediction = "mtp_layers_block_type";

/// The layers of a prediction layer; nothing where the model has none.
std::vector<std::string> prediction_words(ConfigReader& reader) {
  const dsl::Node *list = reader.find(kPrediction), *depths = reader.model.find("mtp");
  std::vector<std::string> said;
  if (!list || !depths || depths->text == "0") return said;
  if (list->kind != dsl::Node::Kind::list) reader.error(kPrediction, "expected a list of layers");
  for (const dsl::Node& item : list->items) said.push_back(item.text);
  return said;
}

/// As many layers as words, or fewer behind a word that is diagnosed.
std::vector<LayerDraft> parts(ConfigReader& reader, const std::vector<std::string>& said, const std::string& key) {
  std::vector<LayerDraft> drafts;
  for (const std::string& one : said) {
    const std::optional<LayerDraft> draft = part(reader, one);
    if (!draft) {
      reader.error(key, "unknown kind of layer '" + dsl::shortened(one) + "'", "known: " + hf_letters());
      break;
    }
    drafts.push_back(*draft);
  }
  return drafts;
}

/// The layer of a block; nothing where it has neither part. `heads`, `hidden`: of the model.
std::optional<LayerDraft> searched(ConfigReader& reader, const dsl::Node& block, int64_t heads, int64_t hidden) {
  constexpr const char* kAttention[] = {"no_op", "n_heads_in_group"};
  constexpr const char* kFfn[] = {"no_op", "ffn_mult"};
  const dsl::Node *attention = block.find("attention"), *ffn = block.find("ffn");
  if (attention) reader.warn_unread(*attention, "block_configs.attention", kAttention);
  if (ffn) reader.warn_unread(*ffn, "block_configs.ffn", kFfn);
  const bool attends = !says(attention, "no_op"), feeds = !says(ffn, "no_op");
  if (!attends && !feeds) return std::nullopt;
  LayerDraft draft{attends && feeds ? "block" : attends ? "attention" : "mlp", {}};
  const dsl::Node* group = attends && attention ? attention->find("n_heads_in_group") : nullptr;
  if (group && group->kind != dsl::Node::Kind::null) {
    const int64_t of = reader.positive(*group);
    if (heads % of != 0)
      reader.error_at(*group, fmt::format("{} heads are not a multiple of {} in a group", heads, of));
    draft.fields.push_back({"kv_heads", std::to_string(std::max<int64_t>(1, heads / of))});
  }
  const dsl::Node* multiple = feeds && ffn ? ffn->find("ffn_mult") : nullptr;
  if (multiple && multiple->kind != dsl::Node::Kind::null) {
    char* end = nullptr;
    const double times = std::strtod(multiple->text.c_str(), &end);
    if (multiple->text.empty() || *end != '\0' || !(times > 0 && times < 1e6))
      reader.error_at(*multiple, fmt::format("expected a number above 0, got '{}'", dsl::shortened(multiple->text)));
    else draft.fields.push_back({"ffn", std::to_string(width_of(times, hidden))});
  }
  return draft;
}

}  // namespace

void mixed_layers(ConfigReader& reader) {
  if (!can_list(reader)) return;
  const int64_t layers = reader.layers();
  const ExpertLayers experts(reader);
  MixerLayers mixers(reader);
  const bool narrow = reader.find("routed_expert_hidden_size") != nullptr;
  std::vector<LayerDraft> drafts;
  for (int64_t i = 0; i < layers; ++i) {
    LayerDraft draft = mixers.at(i);
    const bool routed = experts.at(i);
    put_feed_forward(draft, routed);
    if (routed && narrow) take(reader, draft, "expert_width", "routed_expert_hidden_size");
    take(reader, draft, "streams", "hc_mult");
    take(reader, draft, "residual_block", "attn_res_block_size", 0);
    drafts.push_back(std::move(draft));
  }
  reader.drop("window");
  reader.put_layers(drafts, "num_hidden_layers");
}

void latent_mixed_layers(ConfigReader& reader) {
  expert_groups(reader);
  mixed_layers(reader);
}

void hybrid_parts(ConfigReader& reader) {
  std::string key;
  const std::vector<std::string> said = hybrid_words(reader, key);
  if (said.empty()) return;
  const std::vector<LayerDraft> drafts = parts(reader, said, key),
                                predicted = parts(reader, prediction_words(reader), kPrediction);
  if (drafts.size() != said.size()) return;
  check_count(reader, key, drafts.size());
  reader.put_layers(drafts, key, predicted);
}

void searched_blocks(ConfigReader& reader) {
  const dsl::Node *blocks = reader.find("block_configs"), *hidden = reader.find("hidden_size"),
                  *heads = reader.find("num_attention_heads");
  if (!blocks || !hidden || !heads) return reader.error("block_configs", "missing: it says what each layer is");
  if (blocks->kind != dsl::Node::Kind::list) return reader.error("block_configs", "expected a list of blocks");
  std::vector<LayerDraft> drafts;
  for (const dsl::Node& block : blocks->items)
    if (const std::optional<LayerDraft> draft = searched(reader, block, reader.whole(*heads), reader.whole(*hidden)))
      drafts.push_back(*draft);
  check_count(reader, "block_configs", blocks->items.size());
  reader.put_layers(drafts, "block_configs");
}

}  // namespace planner::hf
