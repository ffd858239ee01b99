#include "planner/import/hf_families.h"
#include "planner/import/hf_keys.h"
#include "planner/import/hf_mixed.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

constexpr const char* kTie = "tie_word_embeddings";
constexpr const char* kTiedField = "tied_embeddings";

constexpr Key kErnie[] = {
    {kTie, kTiedField, "true"}, {"use_bias", "bias", "false"}, {"num_nextn_predict_layers", "mtp"}};
constexpr Key kErnieMoe[] = {{kTie, kTiedField, "true"},
                             {"use_bias", "bias", "false"},
                             {"moe_num_experts|num_experts", "experts.count", kNeeded},
                             {"moe_k|num_experts_per_tok", "experts.top_k", kNeeded},
                             {"moe_intermediate_size", "experts.ffn", kNeeded},
                             {"moe_num_shared_experts", "experts.shared", "2"},
                             {"moe_layer_start_index", "experts.first_dense", "1"},
                             {"moe_layer_interval", "experts.every", "1"},
                             {"num_nextn_predict_layers", "mtp"}};
constexpr Key kHunyuanMoe[] = {{kTie, kTiedField, "false"},
                               {"attention_bias", "qkv_bias", "false"},
                               {"use_qk_norm", "qk_norm", "true"},
                               {"num_experts", "experts.count", kNeeded},
                               {"moe_topk|num_experts_per_tok", "experts.top_k", kNeeded},
                               {"moe_intermediate_size|intermediate_size", "experts.ffn", kNeeded},
                               {"num_shared_expert", "experts.shared", "1"}};
constexpr Key kHunyuan[] = {
    {kTie, kTiedField, "false"}, {"attention_bias", "qkv_bias", "false"}, {"use_qk_norm", "qk_norm", "true"}};
constexpr Key kAttentionBias[] = {{kTie, kTiedField, "false"}, {"attention_bias", "qkv_bias", "false"}};
constexpr Key kQkvBias[] = {{kTie, kTiedField, "false"}, {"attention_bias", "qkv_bias", "true"}};
constexpr Key kNemotron[] = {{kTie, kTiedField, "false"},
                             {"attention_bias", "qkv_bias", "false"},
                             {"hidden_act", "activation", "squared-relu", Kind::activation}};
constexpr Key kArcee[] = {{kTie, kTiedField, "false"},
                          {"attention_bias", "qkv_bias", "false"},
                          {"hidden_act", "activation", "squared-relu", Kind::activation}};
constexpr Key kApertus[] = {{kTie, kTiedField, "false"},
                            {"attention_bias", "qkv_bias", "false"},
                            {"hidden_act", "activation", "gelu", Kind::activation}};
constexpr Key kCohere[] = {
    {kTie, kTiedField, "true"}, {"attention_bias", "qkv_bias", "false"}, {"use_qk_norm", "qk_norm", "false"}};
constexpr Key kCohere2[] = {{kTie, kTiedField, "true"},
                            {"attention_bias", "qkv_bias", "false"},
                            {"sliding_window", "window.size", "4096"},
                            {"sliding_window_pattern|_sliding_window_pattern", "window.global_every", "4"}};
constexpr Key kStableLm[] = {{kTie, kTiedField, "false"},
                             {"use_qkv_bias", "qkv_bias", "false"},
                             {"qk_layernorm", "qk_norm", "false"},
                             {"use_parallel_residual", "parallel_block", "false"},
                             {"hidden_dropout", "dropout", "0"}};
constexpr Key kInternLm2[] = {{kTie, kTiedField, "false"}, {"bias", "qkv_bias", "false"}};
constexpr Key kInternLm3[] = {{kTie, kTiedField, "false"}, {"qkv_bias", "qkv_bias", "false"}};
constexpr Key kGraniteMoe[] = {{kTie, kTiedField, "false"},
                               {"num_local_experts", "experts.count", kNeeded},
                               {"num_experts_per_tok", "experts.top_k", kNeeded},
                               {"intermediate_size", "experts.ffn", kNeeded},
                               {"attention_bias", "qkv_bias", "false"}};
constexpr Key kOlmoe[] = {{kTie, kTiedField, "false"},
                          {"num_experts", "experts.count", kNeeded},
                          {"num_experts_per_tok", "experts.top_k", kNeeded},
                          {"intermediate_size", "experts.ffn", kNeeded},
                          {"attention_bias", "qkv_bias", "false"}};
constexpr Key kBailing[] = {{kTie, kTiedField, "false"},
                            {"use_qkv_bias", "qkv_bias", "false"},
                            {"use_bias", "bias", "false"},
                            {"use_qk_norm", "qk_norm", "false"},
                            {"num_experts", "experts.count", kNeeded},
                            {"num_experts_per_tok", "experts.top_k", kNeeded},
                            {"moe_intermediate_size", "experts.ffn", kNeeded},
                            {"num_shared_experts", "experts.shared", "0"},
                            {"first_k_dense_replace", "experts.first_dense", "0"},
                            {"num_nextn_predict_layers", "mtp"}};
constexpr Key kPhi[] = {{kTie, kTiedField, "false"},
                        {"qk_layernorm", "qk_norm", "false"},
                        {"resid_pdrop", "dropout", "0"},
                        {"hidden_act", "activation", "gelu", Kind::activation}};

constexpr Fact kPlainMlp[] = {{"rotary", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};
constexpr Fact kPlainMlpQkNorm[] = {{"qk_norm", "true"}};
constexpr Fact kLayerNorm1p[] = {{"rotary", "true"}, {"bias", "false"}, {"norm", "layernorm"}};
constexpr Fact kGatedLayerNorm[] = {{"gated_mlp", "true"}, {"rotary", "true"}, {"bias", "false"}};
constexpr Fact kParallel[] = {{"parallel_block", "true"}};
constexpr Fact kPostNorm[] = {{"post_norm", "true"}};

constexpr Architecture kRows[] = {
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "qwen2", kShape, kQkvBias, kLlamaStyle, {}, qwen_window},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "qwen2", kShape, kQkvBias, kLlamaStyle, {}, qwen_window},
    {"Ernie4_5ForCausalLM", "ernie4_5", "ernie4.5", kShape, kErnie, kLlamaStyle, {}},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "ernie4.5", kShape, kErnieMoe, kLlamaStyle, {}, ernie_last_layer},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "hunyuan", kShape, kHunyuan, kLlamaStyle, {}},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "hunyuan", kShape, kHunyuanMoe, kLlamaStyle, {}},
    {"GlmForCausalLM", "glm", "glm4", kShape, kAttentionBias, kLlamaStyle, {}},
    {"Glm4ForCausalLM", "glm4", "glm4", kShape, kAttentionBias, kLlamaStyle, kPostNorm},
    {"NemotronForCausalLM", "nemotron", "nemotron4", kShape, kNemotron, kLayerNorm1p, {}},
    {"ArceeForCausalLM", "arcee", "arcee", kShape, kArcee, kPlainMlp, {}},
    {"ApertusForCausalLM", "apertus", "apertus", kShape, kApertus, kPlainMlp, kPlainMlpQkNorm},
    {"CohereForCausalLM", "cohere", "cohere", kShape, kCohere, kGatedLayerNorm, kParallel},
    {"Cohere2ForCausalLM", "cohere2", "cohere", kShape, kCohere2, kGatedLayerNorm, kParallel, layer_types},
    {"StableLmForCausalLM", "stablelm", "stablelm", kShape, kStableLm, kGatedLayerNorm, {}},
    {"InternLM2ForCausalLM", "internlm2", "internlm2", kShape, kInternLm2, kLlamaStyle, {}},
    {"InternLM3ForCausalLM", "internlm3", "internlm3", kShape, kInternLm3, kLlamaStyle, {}},
    {"GraniteMoeForCausalLM", "granitemoe", "granite", kShape, kGraniteMoe, kLlamaStyle, {}},
    {"OlmoForCausalLM", "olmo", "olmo", kShape, kAttentionBias, kGatedLayerNorm, {}},
    {"OlmoeForCausalLM", "olmoe", "olmoe", kShape, kOlmoe, kLlamaStyle, kQkNorm},
    {"Dots1ForCausalLM", "dots1", "dots1", kShape, kAttentionBias, kLlamaStyle, kQkNorm, deepseek_routing, "", kRouted},
    {"BailingMoeForCausalLM", "bailing_moe", "ling", kShape, kBailing, kLlamaStyle, {}},
    {"BailingMoeV2ForCausalLM", "bailing_moe_v2", "ling", kShape, kBailing, kLlamaStyle, {}, expert_groups},
    {"PhiForCausalLM", "phi", "phi", kShape, kPhi, kNeoxStyle, kParallel},
    {"Exaone4ForCausalLM", "exaone4", "exaone4", kShape, kUntied, kLlamaStyle, kQkNorm, exaone_window},
};

}  // namespace

std::span<const Architecture> plain_families() { return kRows; }

}  // namespace planner::hf
