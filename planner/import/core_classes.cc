#include "planner/import/core_classes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace planner::megatron {
namespace {

struct DefaultArgument {
  const char *name, *value;
};

/// A family of classes: "Llama3" of Llama3Config and Llama3ModelProvider. `base`: another family's defaults are below.
struct ClassFamily {
  std::string_view name;
  const char* base = "";
  std::vector<DefaultArgument> defaults = {};
};

const std::vector<DefaultArgument>& llama_style() {
  static const std::vector<DefaultArgument> rows{
      {"normalization", "RMSNorm"},        {"activation_func", "silu"},
      {"gated_linear_unit", "true"},       {"add_bias_linear", "false"},
      {"position_embedding_type", "rope"}, {"hidden_dropout", "0.0"},
      {"attention_dropout", "0.0"},        {"share_embeddings_and_output_weights", "false"},
  };
  return rows;
}

const std::vector<ClassFamily>& families() {
  static const std::vector<ClassFamily> rows{
      {"GPT"},
      {"Transformer"},
      {"MLATransformer"},
      {"MLA"},
      {"Llama", "", llama_style()},
      {"Llama2", "Llama"},
      {"Llama3", "Llama", {{"num_query_groups", "8"}}},
      {"Llama31", "Llama3"},
      {"Llama32", "Llama3"},
      {"Mistral",
       "Llama",
       {{"num_layers", "32"},
        {"hidden_size", "4096"},
        {"num_attention_heads", "32"},
        {"num_query_groups", "8"},
        {"ffn_hidden_size", "14336"}}},
      {"Mixtral", "Mistral", {{"num_moe_experts", "8"}, {"moe_router_topk", "2"}}},
      {"Qwen2", "Llama", {{"add_qkv_bias", "true"}, {"padded_vocab_size", "151936"}}},
      {"Qwen25", "Qwen2"},
      {"Qwen3",
       "Llama",
       {{"qk_layernorm", "true"}, {"kv_channels", "128"}, {"num_query_groups", "8"}, {"padded_vocab_size", "151936"}}},
      {"Qwen3MoE", "Qwen3", {{"num_moe_experts", "128"}, {"moe_router_topk", "8"}, {"moe_grouped_gemm", "true"}}},
      {"Hybrid",
       "",
       {{"normalization", "RMSNorm"},
        {"add_bias_linear", "false"},
        {"position_embedding_type", "none"},
        {"hidden_dropout", "0.0"},
        {"attention_dropout", "0.0"},
        {"share_embeddings_and_output_weights", "false"},
        {"bf16", "true"}}},
      {"Mamba", "Hybrid"},
      {"SSM", "Hybrid"},
  };
  return rows;
}

constexpr std::array<std::string_view, 2> kEndings = {"ModelProvider", "Config"};

const ClassFamily* family(std::string_view name) {
  const auto row = std::ranges::find(families(), name, &ClassFamily::name);
  return row == families().end() ? nullptr : &*row;
}

/// "Llama3" of "Llama3Config"; null: no family.
const ClassFamily* family_of(std::string_view name) {
  for (const std::string_view ending : kEndings)
    if (name.ends_with(ending)) return family(name.substr(0, name.size() - ending.size()));
  return nullptr;
}

}  // namespace

ShapeClass shape_class(const std::string& name) {
  if (family_of(name)) return ShapeClass::known;
  // Only the providers of Megatron-Bridge tell by their name that they say a model.
  return name.ends_with("ModelProvider") || name.ends_with("DenseProvider") ? ShapeClass::foreign : ShapeClass::none;
}

std::map<std::string, std::string> class_defaults(const std::string& name) {
  std::map<std::string, std::string> all;
  for (const ClassFamily* at = family_of(name); at; at = family(at->base))
    for (const DefaultArgument& row : at->defaults) all.try_emplace(row.name, row.value);
  return all;
}

}  // namespace planner::megatron
