#include "planner/import/hf_table.h"

#include <vector>

#include "planner/import/hf_keys.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

constexpr ConfigKey kQwen3[] = {{"head_dim", "head_dim", "128"}};
constexpr ConfigKey kQwen3Moe[] = {{"moe_intermediate_size", "experts.ffn", kNeeded},
                                   {"decoder_sparse_step", "experts.every", "1"}};
constexpr ConfigKey kQwen2Moe[] = {{"moe_intermediate_size", "experts.ffn", kNeeded},
                                   {"shared_expert_intermediate_size", "experts.shared_ffn", kNeeded},
                                   {"decoder_sparse_step", "experts.every", "1"},
                                   {"qkv_bias", "qkv_bias", "true"}};
constexpr ConfigKey kMiMo[] = {{"attention_bias", "qkv_bias", "true"}, {"num_nextn_predict_layers", "mtp"}};
constexpr ConfigKey kMiniMaxM2[] = {
    {"intermediate_size", "experts.ffn", kNeeded}, {"use_qk_norm", "qk_norm", "true"}, {"num_mtp_modules", "mtp"}};
constexpr ConfigKey kStarcoder2[] = {{"use_bias", "bias", "true"}, {"sliding_window", "window.size"}};
constexpr ConfigKey kGpt2[] = {{"n_positions|max_position_embeddings", "positions", "1024"},
                               {"resid_pdrop", "dropout", "0.1"}};
constexpr ConfigKey kGptNeox[] = {{"use_parallel_residual", "parallel_block", "true"},
                                  {"hidden_dropout|hidden_dropout_prob", "dropout", "0"},
                                  {"attention_bias", "bias", "true"}};
constexpr ConfigKey kGemma[] = {{"head_dim", "head_dim", "256"}};
constexpr ConfigKey kGemma2[] = {{"head_dim", "head_dim", "256"},
                                 {"sliding_window|sliding_window_size", "window.size", "4096"}};
// The published configurations leave out what equals the class's defaults.
constexpr ConfigKey kGemma3Shape[] = {{"num_hidden_layers", "layers", kNeeded},
                                      {"hidden_size", "hidden", kNeeded},
                                      {"intermediate_size", "ffn", kNeeded},
                                      {"num_attention_heads", "heads", "8"},
                                      {"num_key_value_heads", "kv_heads", "4"},
                                      {"head_dim", "head_dim", "256"},
                                      {"vocab_size", "vocab", "262208"},
                                      {"hidden_activation|hidden_act", "activation", "gelu", KeyMeaning::activation}};
constexpr ConfigKey kGemma3[] = {{"sliding_window", "window.size", "4096"},
                                 {"sliding_window_pattern|_sliding_window_pattern", "window.global_every", "6"}};
constexpr ConfigKey kGptOss[] = {{"head_dim", "head_dim", "64"},
                                 {"sliding_window", "window.size", "128"},
                                 {"swiglu_limit", "clamp", "7"},
                                 {"attention_bias", "bias", "true"}};
constexpr ConfigKey kBert[] = {{"max_position_embeddings", "positions", kNeeded},
                               {"type_vocab_size", "token_types", "2"},
                               {"hidden_dropout_prob", "dropout", "0.1"}};

// Layers of unlike kinds: a width of the MLP, or of experts, may be missing.
constexpr ConfigKey kUntied[] = {{"tie_word_embeddings", "tied_embeddings", "false"}};
constexpr ConfigKey kMixed[] = {
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
constexpr ConfigKey kGemma4[] = {{"tie_word_embeddings", "tied_embeddings", "true"},
                                 {"num_experts", "experts.count"},
                                 {"top_k_experts", "experts.top_k"},
                                 {"moe_intermediate_size", "experts.ffn"},
                                 {"intermediate_size", "experts.shared_ffn"}};  // a dense MLP runs beside the experts
constexpr ConfigKey kLlama4[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                                 {"num_local_experts", "experts.count", kNeeded},
                                 {"num_experts_per_tok", "experts.top_k", "1"},
                                 {"intermediate_size", "experts.ffn", kNeeded},
                                 {"use_qk_norm", "qk_norm"}};
constexpr ModelFact kQwen35Moe[] = {{"qk_norm", "true"}, {"experts.shared", "1"}, {"experts.shared_gate", "true"}};
constexpr ModelFact kSinks[] = {{"sinks", "true"}, {"qk_norm", "true"}};

constexpr ModelFact kBertStyle[] = {{"causal", "false"}, {"embedding_norm", "true"}, {"head", "mlm"}};
constexpr ModelFact kBiasedQkv[] = {{"qkv_bias", "true"}};
constexpr ModelFact kQwen2MoeFacts[] = {{"experts.shared", "1"}, {"experts.shared_gate", "true"}};
constexpr ModelFact kGemma2Facts[] = {{"post_norm", "true"}, {"window.global_every", "2"}};
constexpr ModelFact kGemma3Facts[] = {{"post_norm", "true"}, {"qk_norm", "true"}};
constexpr ModelFact kGptOssFacts[] = {{"sinks", "true"}, {"window.global_every", "2"}};
constexpr ModelFact kBertFacts[] = {{"predicted", "0.15"}};  // BERT paper, sec. 3.1: 15 % of the tokens are masked

/// Layers of unlike kinds.
constexpr Architecture mixed(const char* name, const char* model_type, const char* family, Keys keys, Facts facts = {},
                             MoreRule more = mixed_layers, Facts style = kLlamaStyle) {
  return {name, model_type, family, kMixedShape, keys, style, facts, more, "", {}, nullptr};
}
constexpr Architecture gemma3(const char* name, const char* model_type) {
  return tied({name, model_type, "gemma3", kGemma3Shape, kGemma3, kLlamaStyle, kGemma3Facts, layer_types});
}
constexpr Architecture bert(const char* name, const char* model_type) {
  return tied({name, model_type, "bert", kShape, kBert, kBertStyle, kBertFacts});
}

constexpr Architecture kArchitectures[] = {
    llama("LlamaForCausalLM", "llama", "", {}, {}, llama_biases_and_family),
    llama("MistralForCausalLM", "mistral", "mistral", kWindowed, {}, layer_types),
    routed(llama("MixtralForCausalLM", "mixtral", "mixtral", kWindowed, {}, layer_types)),
    llama("Qwen2ForCausalLM", "qwen2", "qwen2", {}, kBiasedQkv, qwen_window),
    routed(llama("Qwen2MoeForCausalLM", "qwen2_moe", "qwen2", kQwen2Moe, kQwen2MoeFacts, qwen_experts)),
    llama("Qwen3ForCausalLM", "qwen3", "qwen3", kQwen3, kQkNorm, qwen_window),
    routed(llama("Qwen3MoeForCausalLM", "qwen3_moe", "qwen3", kQwen3Moe, kQkNorm, qwen_experts)),
    latent("DeepseekV2ForCausalLM", "deepseek_v2", "deepseek-v2", kShape, deepseek_routing, kRouted),
    latent("DeepseekV3ForCausalLM", "deepseek_v3", "deepseek-v3", kShape, deepseek_routing, kRouted),
    in_text(latent("KimiK25ForConditionalGeneration", "kimi_k25", "kimi-k2", kShape, deepseek_routing, kRouted)),
    in_text(llama("Qwen3VLForConditionalGeneration", "qwen3_vl", "qwen3", kQwen3, kQkNorm, qwen_window)),
    in_text(
        routed(llama("Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "qwen3", kQwen3Moe, kQkNorm, qwen_experts))),
    mixed("Qwen3NextForCausalLM", "qwen3_next", "qwen3-next", kMixed, kQwen35Moe),
    in_text(mixed("Qwen3_5ForConditionalGeneration", "qwen3_5", "qwen3.5", kMixed, kQkNorm)),
    in_text(mixed("Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "qwen3.5", kMixed, kQwen35Moe)),
    mixed("NemotronHForCausalLM", "nemotron_h", "nemotron-h", kMixed, {}, hybrid_parts, kPlainStyle),
    mixed("DeciLMForCausalLM", "nemotron-nas", "nemotron-nas", kUntied, {}, searched_blocks),
    latent("DeepseekV32ForCausalLM", "deepseek_v32", "deepseek-v3", kMixedShape, latent_mixed_layers, kRouted),
    latent("GlmMoeDsaForCausalLM", "glm_moe_dsa", "glm-5", kMixedShape, latent_mixed_layers, kRouted),
    mixed("DeepseekV4ForCausalLM", "deepseek_v4", "deepseek-v4", kMixed, kSinks, latent_mixed_layers),
    latent("KimiLinearForCausalLM", "kimi_linear", "kimi-linear", kMixedShape, latent_mixed_layers, kMixed),
    in_text(latent("KimiK3ForConditionalGeneration", "kimi_k3", "kimi-k3", kMixedShape, latent_mixed_layers, kMixed)),
    mixed("MiniMaxM3ForCausalLM", "minimax_m3", "minimax-m3", kMixed),
    in_text(mixed("Gemma4ForConditionalGeneration", "gemma4", "gemma4", kGemma4, kGemma3Facts)),
    in_text(mixed("Llama4ForConditionalGeneration", "llama4", "llama4", kLlama4, kOneShared)),
    mixed("Step3p7FlashForCausalLM", "step3p7", "step3.7", kMixed),
    llama("MiMoForCausalLM", "mimo", "mimo", kMiMo, {}, qwen_window),
    routed(llama("MiniMaxM2ForCausalLM", "minimax_m2", "minimax-m2", kMiniMaxM2)),
    routed(llama("Glm4MoeForCausalLM", "glm4_moe", "glm4-moe", kBiasAndQkNorm, {}, deepseek_routing), kRouted),
    tied(llama("GraniteForCausalLM", "granite", "granite")),
    llama("Olmo2ForCausalLM", "olmo2", "olmo2", {}, kQkNorm),
    llama("Olmo3ForCausalLM", "olmo3", "olmo3", kWindowed, kQkNorm, layer_types),
    llama("Phi3ForCausalLM", "phi3", "phi3", kWindowed),
    llama("SeedOssForCausalLM", "seed_oss", "seed-oss", kQkvBias),
    tied(llama("SmolLM3ForCausalLM", "smollm3", "smollm3", {}, {}, qwen_window)),
    tied({"Starcoder2ForCausalLM", "starcoder2", "starcoder2", kShape, kStarcoder2, kRotary}),
    tied({"GPT2LMHeadModel", "gpt2", "gpt2", kGpt2Shape, kGpt2}),
    {"GPTNeoXForCausalLM", "gpt_neox", "gpt-neox", kShape, kGptNeox, kRotary},
    tied(llama("GemmaForCausalLM", "gemma", "gemma", kGemma)),
    tied(llama("Gemma2ForCausalLM", "gemma2", "gemma2", kGemma2, kGemma2Facts, layer_types)),
    gemma3("Gemma3ForCausalLM", "gemma3_text"),
    in_text(gemma3("Gemma3ForConditionalGeneration", "gemma3")),
    routed(llama("GptOssForCausalLM", "gpt_oss", "gpt-oss", kGptOss, kGptOssFacts, layer_types)),
    bert("BertForPreTraining", "bert"),
    bert("BertForMaskedLM", ""),
    bert("BertModel", ""),
};

}  // namespace

std::span<const Architecture> architectures() {
  static const std::vector<Architecture> all = [] {
    std::vector<Architecture> rows(std::begin(kArchitectures), std::end(kArchitectures));
    for (const std::span<const Architecture> more : {plain_families(), recurrent_families()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

}  // namespace planner::hf
