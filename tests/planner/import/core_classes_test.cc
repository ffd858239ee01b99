// What a class of NeMo 2 or Megatron-Bridge says of a shape by itself.
#include "planner/import/core_classes.h"

#include <doctest/doctest.h>

namespace {

using planner::megatron::class_defaults;
using planner::megatron::shape_class;
using planner::megatron::ShapeClass;

struct DefaultCase {
  const char *name, *argument, *value;  // "": it has no such default
};

// nemo/collections/llm/gpt/model/*.py at 8cfedd72; src/megatron/bridge/models at 067f987d.
constexpr DefaultCase kDefaults[] = {{"GPTConfig", "normalization", ""},
                                     {"GPTModelProvider", "num_layers", ""},
                                     {"TransformerConfig", "gated_linear_unit", ""},
                                     {"MLAModelProvider", "position_embedding_type", ""},
                                     {"LlamaConfig", "normalization", "RMSNorm"},
                                     {"LlamaConfig", "gated_linear_unit", "true"},
                                     {"LlamaConfig", "share_embeddings_and_output_weights", "false"},
                                     {"LlamaConfig", "num_query_groups", ""},
                                     {"Llama2Config", "add_bias_linear", "false"},
                                     {"Llama3Config", "num_query_groups", "8"},
                                     {"Llama31Config", "num_query_groups", "8"},
                                     {"Llama32ModelProvider", "position_embedding_type", "rope"},
                                     {"MistralConfig", "num_layers", "32"},
                                     {"MistralModelProvider", "ffn_hidden_size", "14336"},
                                     {"MixtralConfig", "num_layers", "32"},
                                     {"MixtralConfig", "num_moe_experts", "8"},
                                     {"MixtralConfig", "moe_router_topk", "2"},
                                     {"Qwen2Config", "add_qkv_bias", "true"},
                                     {"Qwen2Config", "padded_vocab_size", "151936"},
                                     {"Qwen25Config", "add_qkv_bias", "true"},
                                     {"Qwen3Config", "add_qkv_bias", ""},
                                     {"Qwen3Config", "qk_layernorm", "true"},
                                     {"Qwen3MoEConfig", "num_moe_experts", "128"},
                                     {"Qwen3MoEModelProvider", "kv_channels", "128"},
                                     {"SSMConfig", "position_embedding_type", "none"},
                                     {"MambaModelProvider", "normalization", "RMSNorm"},
                                     {"HybridModelProvider", "gated_linear_unit", ""}};

struct KindCase {
  const char* name;
  ShapeClass kind;
};
constexpr KindCase kKinds[] = {{"Llama3Config", ShapeClass::known},
                               {"HybridModelProvider", ShapeClass::known},
                               {"Gemma3ModelProvider", ShapeClass::foreign},
                               {"WanModelProvider", ShapeClass::foreign},
                               {"Gemma4DenseProvider", ShapeClass::foreign},
                               {"OptimizerConfig", ShapeClass::none},
                               {"MockGPTDatasetProvider", ShapeClass::none},
                               {"Llama3Config8B", ShapeClass::none},  // a size of the catalogue
                               {"Config", ShapeClass::none},
                               {"", ShapeClass::none}};

}  // namespace

TEST_CASE("a family has the defaults of its base, and its own over them") {
  for (const DefaultCase& c : kDefaults) {
    const std::string shown = std::string(c.name) + " " + c.argument;
    CAPTURE(shown);
    const auto defaults = class_defaults(c.name);
    const auto row = defaults.find(c.argument);
    CHECK((row == defaults.end() ? "" : row->second) == c.value);
  }
}

TEST_CASE("a class says a shape by its family, or by what it provides") {
  for (const KindCase& c : kKinds) {
    CAPTURE(std::string(c.name));
    CHECK(shape_class(c.name) == c.kind);
  }
}
