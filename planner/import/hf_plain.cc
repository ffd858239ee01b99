#include "planner/import/hf_keys.h"
#include "planner/import/hf_more.h"
#include "planner/import/hf_table.h"

namespace planner::hf {
namespace {

constexpr ConfigKey kErnie[] = {{"use_bias", "bias", "false"}, {"num_nextn_predict_layers", "mtp"}};
constexpr ConfigKey kErnieMoe[] = {{"use_bias", "bias", "false"},
                                   {"moe_intermediate_size", "experts.ffn", kNeeded},
                                   {"moe_num_shared_experts", "experts.shared", "2"},
                                   {"moe_layer_start_index", "experts.first_dense", "1"},
                                   {"moe_layer_interval", "experts.every", "1"},
                                   {"num_nextn_predict_layers", "mtp"}};
constexpr ConfigKey kHunyuanMoe[] = {{"attention_bias", "qkv_bias", "false"},
                                     {"use_qk_norm", "qk_norm", "true"},
                                     {"moe_intermediate_size|intermediate_size", "experts.ffn", kNeeded},
                                     {"num_shared_expert", "experts.shared", "1"}};
constexpr ConfigKey kHunyuan[] = {{"attention_bias", "qkv_bias", "false"}, {"use_qk_norm", "qk_norm", "true"}};
constexpr ConfigKey kAttentionBias[] = {{"attention_bias", "qkv_bias", "false"}};
constexpr ConfigKey kSquaredRelu[] = {{"attention_bias", "qkv_bias", "false"},
                                      {"hidden_act", "activation", "squared-relu", KeyMeaning::activation}};
constexpr ConfigKey kApertus[] = {{"attention_bias", "qkv_bias", "false"},
                                  {"hidden_act", "activation", "gelu", KeyMeaning::activation}};
constexpr ConfigKey kCohere2[] = {{"attention_bias", "qkv_bias", "false"},
                                  {"sliding_window", "window.size", "4096"},
                                  {"sliding_window_pattern|_sliding_window_pattern", "window.global_every", "4"}};
constexpr ConfigKey kStableLm[] = {{"use_qkv_bias", "qkv_bias", "false"},
                                   {"qk_layernorm", "qk_norm", "false"},
                                   {"use_parallel_residual", "parallel_block", "false"},
                                   {"hidden_dropout", "dropout", "0"}};
constexpr ConfigKey kInternLm2[] = {{"bias", "qkv_bias", "false"}};
constexpr ConfigKey kInternLm3[] = {{"qkv_bias", "qkv_bias", "false"}};
constexpr ConfigKey kWideExperts[] = {{"intermediate_size", "experts.ffn", kNeeded},
                                      {"attention_bias", "qkv_bias", "false"}};
constexpr ConfigKey kBailing[] = {{"use_qkv_bias", "qkv_bias", "false"},
                                  {"use_bias", "bias", "false"},
                                  {"use_qk_norm", "qk_norm", "false"},
                                  {"moe_intermediate_size", "experts.ffn", kNeeded},
                                  {"num_shared_experts", "experts.shared", "0"},
                                  {"first_k_dense_replace", "experts.first_dense", "0"},
                                  {"num_nextn_predict_layers", "mtp"}};
constexpr ConfigKey kPhi[] = {{"qk_layernorm", "qk_norm", "false"},
                              {"resid_pdrop", "dropout", "0"},
                              {"hidden_act", "activation", "gelu", KeyMeaning::activation}};

// Of families with names of their own.
constexpr ConfigKey kBloom[] = {{"hidden_dropout", "dropout", "0"}};
constexpr ConfigKey kFalcon[] = {
    {"bias", "bias", "false"}, {"parallel_attn", "parallel_block", "true"}, {"hidden_dropout", "dropout", "0"}};
constexpr ConfigKey kMpt[] = {{"expansion_ratio", "ffn", nullptr, KeyMeaning::of_hidden},
                              {"no_bias", "bias", "false", KeyMeaning::negated},
                              {"resid_pdrop", "dropout", "0"}};
constexpr ConfigKey kOptShape[] = {{"num_hidden_layers", "layers", kNeeded},
                                   {"hidden_size", "hidden", kNeeded},
                                   {"ffn_dim", "ffn", kNeeded},
                                   {"num_attention_heads", "heads", kNeeded},
                                   {"vocab_size", "vocab", kNeeded},
                                   {"max_position_embeddings", "positions", kNeeded},
                                   {"activation_function", "activation", "relu", KeyMeaning::activation}};
constexpr ConfigKey kOpt[] = {{"enable_bias", "bias", "true"}, {"dropout", "dropout", "0.1"}};
constexpr ConfigKey kGptJ[] = {{"resid_pdrop", "dropout", "0"}};
constexpr ConfigKey kExaoneShape[] = {{"num_layers|num_hidden_layers", "layers", kNeeded},
                                      {"hidden_size", "hidden", kNeeded},
                                      {"intermediate_size", "ffn", kNeeded},
                                      {"num_attention_heads", "heads", kNeeded},
                                      {"num_key_value_heads", "kv_heads"},
                                      {"head_dim", "head_dim"},
                                      {"vocab_size", "vocab", kNeeded},
                                      {"activation_function", "activation", "silu", KeyMeaning::activation}};
constexpr ConfigKey kLongCatShape[] = {
    {"num_layers", "layers", kNeeded},   {"hidden_size", "hidden", kNeeded},
    {"ffn_hidden_size", "ffn", kNeeded}, {"num_attention_heads", "heads", kNeeded},
    {"vocab_size", "vocab", kNeeded},    {"hidden_act", "activation", "silu", KeyMeaning::activation}};
constexpr ConfigKey kLongCatExperts[] = {{"n_routed_experts", "experts.count", kNeeded},
                                         {"expert_ffn_hidden_size", "experts.ffn", kNeeded}};

constexpr ModelFact kPlainMlp[] = {{"rotary", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};
constexpr ModelFact kLayerNorm1p[] = {{"rotary", "true"}, {"bias", "false"}, {"norm", "layernorm"}};
constexpr ModelFact kGatedLayerNorm[] = {{"gated_mlp", "true"}, {"rotary", "true"}, {"bias", "false"}};
constexpr ModelFact kPostNorm[] = {{"post_norm", "true"}};
constexpr ModelFact kBloomStyle[] = {{"embedding_norm", "true"}};

// Falcon's norms and the projections of GPT-J's attention have biases, or none, unlike their other layers: less than
// 0.1 % of the parameters.
constexpr Architecture kRows[] = {
    llama("Qwen2VLForConditionalGeneration", "qwen2_vl", "qwen2", kQkvBias, {}, qwen_window),
    llama("Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "qwen2", kQkvBias, {}, qwen_window),
    tied(llama("Ernie4_5ForCausalLM", "ernie4_5", "ernie4.5", kErnie)),
    tied(routed(llama("Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "ernie4.5", kErnieMoe, {}, ernie_last_layer))),
    llama("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "hunyuan", kHunyuan),
    routed(llama("HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "hunyuan", kHunyuanMoe)),
    llama("GlmForCausalLM", "glm", "glm4", kAttentionBias),
    llama("Glm4ForCausalLM", "glm4", "glm4", kAttentionBias, kPostNorm),
    {"NemotronForCausalLM", "nemotron", "nemotron4", kShape, kSquaredRelu, kLayerNorm1p},
    {"ArceeForCausalLM", "arcee", "arcee", kShape, kSquaredRelu, kPlainMlp},
    {"ApertusForCausalLM", "apertus", "apertus", kShape, kApertus, kPlainMlp, kQkNorm},
    tied({"CohereForCausalLM", "cohere", "cohere", kShape, kBiasAndQkNorm, kGatedLayerNorm, kParallel}),
    tied({"Cohere2ForCausalLM", "cohere2", "cohere", kShape, kCohere2, kGatedLayerNorm, kParallel, layer_types}),
    {"StableLmForCausalLM", "stablelm", "stablelm", kShape, kStableLm, kGatedLayerNorm},
    llama("InternLM2ForCausalLM", "internlm2", "internlm2", kInternLm2),
    llama("InternLM3ForCausalLM", "internlm3", "internlm3", kInternLm3),
    routed(llama("GraniteMoeForCausalLM", "granitemoe", "granite", kWideExperts)),
    {"OlmoForCausalLM", "olmo", "olmo", kShape, kAttentionBias, kGatedLayerNorm},
    routed(llama("OlmoeForCausalLM", "olmoe", "olmoe", kWideExperts, kQkNorm)),
    routed(llama("Dots1ForCausalLM", "dots1", "dots1", kAttentionBias, kQkNorm, deepseek_routing), kRouted),
    routed(llama("BailingMoeForCausalLM", "bailing_moe", "ling", kBailing)),
    routed(llama("BailingMoeV2ForCausalLM", "bailing_moe_v2", "ling", kBailing, {}, expert_groups)),
    {"PhiForCausalLM", "phi", "phi", kShape, kPhi, kRotary, kParallel},
    llama("Exaone4ForCausalLM", "exaone4", "exaone4", {}, kQkNorm, exaone_window),
    tied({"BloomForCausalLM", "bloom", "bloom", kGpt2Shape, kBloom, kBloomStyle}),
    tied({"FalconForCausalLM", "falcon", "falcon", kGpt2Shape, kFalcon, kRotary, {}, falcon_heads}),
    tied({"MptForCausalLM", "mpt", "mpt", kGpt2Shape, kMpt, {}, {}, mpt_attention}),
    tied({"MPTForCausalLM", "", "mpt", kGpt2Shape, kMpt, {}, {}, mpt_attention}),
    tied({"OPTForCausalLM", "opt", "opt", kOptShape, kOpt, {}, {}, opt_embedding}),
    {"GPTJForCausalLM", "gptj", "gpt-j", kGpt2Shape, kGptJ, kRotary, kParallel},
    {"ExaoneForCausalLM", "exaone", "exaone3", kExaoneShape, {}, kLlamaStyle},
    latent("LongcatFlashForCausalLM", "longcat_flash", "longcat-flash", kLongCatShape, shortcut_layers,
           kLongCatExperts),
};

}  // namespace

std::span<const Architecture> plain_families() { return kRows; }

}  // namespace planner::hf
