#include "planner/import/hf_more.h"

#include "planner/import/hf_reader.h"

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
  const dsl::Node* first = reader.find("max_window_layers");
  if (!reader.is_true("use_sliding_window") || !size) {
    reader.find("layer_types");  // without a window they are all full
    return;
  }
  reader.put("window.size", size->text, "sliding_window");
  if (reader.find("layer_types")) return layer_types(reader);
  const int64_t full = first ? reader.whole(*first) : 0;
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

}  // namespace planner::hf
