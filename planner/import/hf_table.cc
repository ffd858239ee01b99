#include "planner/import/hf_table.h"

#include <vector>

#include "planner/import/hf_families.h"
#include "planner/import/hf_keys.h"
#include "planner/import/hf_mixed.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

constexpr Key kMixtral[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                            {"sliding_window", "window.size"},
                            {"num_local_experts|num_experts", "experts.count", kNeeded},
                            {"num_experts_per_tok", "experts.top_k", kNeeded}};
constexpr Key kQwen3[] = {{"tie_word_embeddings", "tied_embeddings", "false"}, {"head_dim", "head_dim", "128"}};
constexpr Key kQwen3Moe[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                             {"num_experts|num_local_experts", "experts.count", kNeeded},
                             {"num_experts_per_tok", "experts.top_k", kNeeded},
                             {"moe_intermediate_size", "experts.ffn", kNeeded},
                             {"decoder_sparse_step", "experts.every", "1"}};
constexpr Key kQwen2Moe[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                             {"num_experts|num_local_experts", "experts.count", kNeeded},
                             {"num_experts_per_tok", "experts.top_k", kNeeded},
                             {"moe_intermediate_size", "experts.ffn", kNeeded},
                             {"shared_expert_intermediate_size", "experts.shared_ffn", kNeeded},
                             {"decoder_sparse_step", "experts.every", "1"},
                             {"qkv_bias", "qkv_bias", "true"}};
constexpr Key kMiMo[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                         {"attention_bias", "qkv_bias", "true"},
                         {"num_nextn_predict_layers", "mtp"}};
constexpr Key kMiniMaxM2[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                              {"num_local_experts|num_experts", "experts.count", kNeeded},
                              {"num_experts_per_tok", "experts.top_k", kNeeded},
                              {"intermediate_size", "experts.ffn", kNeeded},
                              {"use_qk_norm", "qk_norm", "true"},
                              {"num_mtp_modules", "mtp"}};
constexpr Key kSeedOss[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                            {"attention_bias", "qkv_bias", "true"}};
constexpr Key kGlm4Moe[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                            {"attention_bias", "qkv_bias", "false"},
                            {"use_qk_norm", "qk_norm", "false"}};
constexpr Key kStarcoder2[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                               {"use_bias", "bias", "true"},
                               {"sliding_window", "window.size"}};
constexpr Key kGpt2Shape[] = {{"n_layer|num_hidden_layers", "layers", kNeeded},
                              {"n_embd|hidden_size", "hidden", kNeeded},
                              {"n_head|num_attention_heads", "heads", kNeeded},
                              {"n_inner", "ffn"},
                              {"vocab_size", "vocab", kNeeded},
                              {"n_positions|max_position_embeddings", "positions", "1024"},
                              {"activation_function", "activation", "gelu", Kind::activation}};
constexpr Key kGpt2[] = {{"tie_word_embeddings", "tied_embeddings", "true"}, {"resid_pdrop", "dropout", "0.1"}};
constexpr Key kGptNeox[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                            {"use_parallel_residual", "parallel_block", "true"},
                            {"hidden_dropout|hidden_dropout_prob", "dropout", "0"},
                            {"attention_bias", "bias", "true"}};
constexpr Key kGemma[] = {{"tie_word_embeddings", "tied_embeddings", "true"}, {"head_dim", "head_dim", "256"}};
constexpr Key kGemma2[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                           {"head_dim", "head_dim", "256"},
                           {"sliding_window|sliding_window_size", "window.size", "4096"}};
// The published configurations leave out what equals the class's defaults.
constexpr Key kGemma3Shape[] = {
    {"num_hidden_layers", "layers", kNeeded}, {"hidden_size", "hidden", kNeeded},
    {"intermediate_size", "ffn", kNeeded},    {"num_attention_heads", "heads", "8"},
    {"num_key_value_heads", "kv_heads", "4"}, {"head_dim", "head_dim", "256"},
    {"vocab_size", "vocab", "262208"},        {"hidden_activation|hidden_act", "activation", "gelu", Kind::activation}};
constexpr Key kGemma3[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                           {"sliding_window", "window.size", "4096"},
                           {"sliding_window_pattern|_sliding_window_pattern", "window.global_every", "6"}};
constexpr Key kGptOss[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                           {"head_dim", "head_dim", "64"},
                           {"num_local_experts|num_experts", "experts.count", kNeeded},
                           {"num_experts_per_tok|experts_per_token", "experts.top_k", kNeeded},
                           {"sliding_window", "window.size", "128"},
                           {"swiglu_limit", "clamp", "7"},
                           {"attention_bias", "bias", "true"}};
constexpr Key kBert[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                         {"max_position_embeddings", "positions", kNeeded},
                         {"type_vocab_size", "token_types", "2"},
                         {"hidden_dropout_prob", "dropout", "0.1"}};

// Layers of unlike kinds: a width of the MLP, or of experts, may be missing.
constexpr Key kMixed[] = {
    {"tie_word_embeddings", "tied_embeddings", "false"},
    {"n_routed_experts|num_experts|num_local_experts", "experts.count"},
    {"num_experts_per_tok|num_experts_per_token|top_k_experts", "experts.top_k"},
    {"n_shared_experts|num_shared_experts", "experts.shared"},
    {"moe_shared_expert_intermediate_size|shared_expert_intermediate_size|share_expert_dim|shared_intermediate_size",
     "experts.shared_ffn"},
    {"moe_intermediate_size", "experts.ffn"},
    {"use_qk_norm", "qk_norm"},
    {"swiglu_limit", "clamp"},
    {"num_nextn_predict_layers|mtp_num_hidden_layers", "mtp"}};
constexpr Key kGemma4[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                           {"num_experts", "experts.count"},
                           {"top_k_experts", "experts.top_k"},
                           {"moe_intermediate_size", "experts.ffn"},
                           {"intermediate_size", "experts.shared_ffn"}};  // a dense MLP runs beside the experts
constexpr Key kLlama4[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                           {"num_local_experts", "experts.count", kNeeded},
                           {"num_experts_per_tok", "experts.top_k", "1"},
                           {"intermediate_size", "experts.ffn", kNeeded},
                           {"use_qk_norm", "qk_norm"}};
constexpr Fact kOneShared[] = {{"experts.shared", "1"}};
constexpr Fact kQwen35Moe[] = {{"qk_norm", "true"}, {"experts.shared", "1"}, {"experts.shared_gate", "true"}};
constexpr Fact kSinks[] = {{"sinks", "true"}, {"qk_norm", "true"}};

constexpr Fact kBertStyle[] = {{"causal", "false"}, {"embedding_norm", "true"}, {"head", "mlm"}};
constexpr Fact kQkvBias[] = {{"qkv_bias", "true"}};
constexpr Fact kQwen2MoeFacts[] = {{"experts.shared", "1"}, {"experts.shared_gate", "true"}};
constexpr Fact kGemma2Facts[] = {{"post_norm", "true"}, {"window.global_every", "2"}};
constexpr Fact kGemma3Facts[] = {{"post_norm", "true"}, {"qk_norm", "true"}};
constexpr Fact kGptOssFacts[] = {{"sinks", "true"}, {"window.global_every", "2"}};
constexpr Fact kBertFacts[] = {{"predicted", "0.15"}};  // BERT paper, sec. 3.1: 15 % of the tokens are masked

constexpr Architecture kArchitectures[] = {
    {"LlamaForCausalLM", "llama", "", kShape, kUntied, kLlamaStyle, {}, llama_biases_and_family},
    {"MistralForCausalLM", "mistral", "mistral", kShape, kWindowed, kLlamaStyle, {}, layer_types},
    {"MixtralForCausalLM", "mixtral", "mixtral", kShape, kMixtral, kLlamaStyle, {}, layer_types},
    {"Qwen2ForCausalLM", "qwen2", "qwen2", kShape, kUntied, kLlamaStyle, kQkvBias, qwen_window},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "qwen2", kShape, kQwen2Moe, kLlamaStyle, kQwen2MoeFacts, qwen_experts},
    {"Qwen3ForCausalLM", "qwen3", "qwen3", kShape, kQwen3, kLlamaStyle, kQkNorm, qwen_window},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "qwen3", kShape, kQwen3Moe, kLlamaStyle, kQkNorm, qwen_experts},
    {"DeepseekV2ForCausalLM",
     "deepseek_v2",
     "deepseek-v2",
     kShape,
     kLatent,
     kLlamaStyle,
     {},
     deepseek_routing,
     "",
     kRouted},
    {"DeepseekV3ForCausalLM",
     "deepseek_v3",
     "deepseek-v3",
     kShape,
     kLatent,
     kLlamaStyle,
     {},
     deepseek_routing,
     "",
     kRouted},
    {"KimiK25ForConditionalGeneration",
     "kimi_k25",
     "kimi-k2",
     kShape,
     kLatent,
     kLlamaStyle,
     {},
     deepseek_routing,
     "text_config",
     kRouted},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "qwen3", kShape, kQwen3, kLlamaStyle, kQkNorm, qwen_window,
     "text_config"},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "qwen3", kShape, kQwen3Moe, kLlamaStyle, kQkNorm,
     qwen_experts, "text_config"},
    {"Qwen3NextForCausalLM", "qwen3_next", "qwen3-next", kMixedShape, kMixed, kLlamaStyle, kQwen35Moe, mixed_layers},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "qwen3.5", kMixedShape, kMixed, kLlamaStyle, kQkNorm, mixed_layers,
     "text_config"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "qwen3.5", kMixedShape, kMixed, kLlamaStyle, kQwen35Moe,
     mixed_layers, "text_config"},
    {"NemotronHForCausalLM", "nemotron_h", "nemotron-h", kMixedShape, kMixed, kPlainStyle, {}, hybrid_parts},
    {"DeciLMForCausalLM", "nemotron-nas", "nemotron-nas", kMixedShape, kUntied, kLlamaStyle, {}, searched_blocks},
    {"DeepseekV32ForCausalLM",
     "deepseek_v32",
     "deepseek-v3",
     kMixedShape,
     kLatent,
     kLlamaStyle,
     {},
     latent_mixed_layers,
     "",
     kRouted},
    {"GlmMoeDsaForCausalLM",
     "glm_moe_dsa",
     "glm-5",
     kMixedShape,
     kLatent,
     kLlamaStyle,
     {},
     latent_mixed_layers,
     "",
     kRouted},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "deepseek-v4", kMixedShape, kMixed, kLlamaStyle, kSinks,
     latent_mixed_layers},
    {"KimiLinearForCausalLM",
     "kimi_linear",
     "kimi-linear",
     kMixedShape,
     kLatent,
     kLlamaStyle,
     {},
     latent_mixed_layers,
     "",
     kMixed},
    {"KimiK3ForConditionalGeneration",
     "kimi_k3",
     "kimi-k3",
     kMixedShape,
     kLatent,
     kLlamaStyle,
     {},
     latent_mixed_layers,
     "text_config",
     kMixed},
    {"MiniMaxM3ForCausalLM", "minimax_m3", "minimax-m3", kMixedShape, kMixed, kLlamaStyle, {}, mixed_layers},
    {"Gemma4ForConditionalGeneration", "gemma4", "gemma4", kMixedShape, kGemma4, kLlamaStyle, kGemma3Facts,
     mixed_layers, "text_config"},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", kMixedShape, kLlama4, kLlamaStyle, kOneShared, mixed_layers,
     "text_config"},
    {"Step3p7FlashForCausalLM", "step3p7", "step3.7", kMixedShape, kMixed, kLlamaStyle, {}, mixed_layers},
    {"MiMoForCausalLM", "mimo", "mimo", kShape, kMiMo, kLlamaStyle, {}, qwen_window},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "minimax-m2", kShape, kMiniMaxM2, kLlamaStyle, {}},
    {"Glm4MoeForCausalLM", "glm4_moe", "glm4-moe", kShape, kGlm4Moe, kLlamaStyle, {}, deepseek_routing, "", kRouted},
    {"GraniteForCausalLM", "granite", "granite", kShape, kTied, kLlamaStyle, {}},
    {"Olmo2ForCausalLM", "olmo2", "olmo2", kShape, kUntied, kLlamaStyle, kQkNorm},
    {"Olmo3ForCausalLM", "olmo3", "olmo3", kShape, kWindowed, kLlamaStyle, kQkNorm, layer_types},
    {"Phi3ForCausalLM", "phi3", "phi3", kShape, kWindowed, kLlamaStyle, {}},
    {"SeedOssForCausalLM", "seed_oss", "seed-oss", kShape, kSeedOss, kLlamaStyle, {}},
    {"SmolLM3ForCausalLM", "smollm3", "smollm3", kShape, kTied, kLlamaStyle, {}, qwen_window},
    {"Starcoder2ForCausalLM", "starcoder2", "starcoder2", kShape, kStarcoder2, kNeoxStyle, {}},
    {"GPT2LMHeadModel", "gpt2", "gpt2", kGpt2Shape, kGpt2, {}, {}},
    {"GPTNeoXForCausalLM", "gpt_neox", "gpt-neox", kShape, kGptNeox, kNeoxStyle, {}},
    {"GemmaForCausalLM", "gemma", "gemma", kShape, kGemma, kLlamaStyle, {}},
    {"Gemma2ForCausalLM", "gemma2", "gemma2", kShape, kGemma2, kLlamaStyle, kGemma2Facts, layer_types},
    {"Gemma3ForCausalLM", "gemma3_text", "gemma3", kGemma3Shape, kGemma3, kLlamaStyle, kGemma3Facts, layer_types},
    {"Gemma3ForConditionalGeneration", "gemma3", "gemma3", kGemma3Shape, kGemma3, kLlamaStyle, kGemma3Facts,
     layer_types, "text_config"},
    {"GptOssForCausalLM", "gpt_oss", "gpt-oss", kShape, kGptOss, kLlamaStyle, kGptOssFacts, layer_types},
    {"BertForPreTraining", "bert", "bert", kShape, kBert, kBertStyle, kBertFacts},
    {"BertForMaskedLM", "", "bert", kShape, kBert, kBertStyle, kBertFacts},
    {"BertModel", "", "bert", kShape, kBert, kBertStyle, kBertFacts},
};

}  // namespace

std::span<const Architecture> architectures() {
  static const std::vector<Architecture> all = [] {
    std::vector<Architecture> rows(std::begin(kArchitectures), std::end(kArchitectures));
    for (const std::span<const Architecture> more : {plain_families(), named_families(), recurrent_families()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

}  // namespace planner::hf
