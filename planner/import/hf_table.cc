#include "planner/import/hf_table.h"

#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

// The keys that nearly all share, by the names of Llama's configuration.
constexpr Key kShape[] = {
    {"num_hidden_layers", "layers", kNeeded}, {"hidden_size", "hidden", kNeeded},
    {"intermediate_size", "ffn", kNeeded},    {"num_attention_heads", "heads", kNeeded},
    {"num_key_value_heads", "kv_heads"},      {"head_dim", "head_dim"},
    {"vocab_size", "vocab", kNeeded},         {"hidden_act|hidden_activation", "activation", "silu", Kind::activation},
};
constexpr Key kUntied[] = {{"tie_word_embeddings", "tied_embeddings", "false"}};
constexpr Key kWindowed[] = {{"tie_word_embeddings", "tied_embeddings", "false"}, {"sliding_window", "window.size"}};
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
constexpr Key kLatent[] = {{"tie_word_embeddings", "tied_embeddings", "false"},
                           {"kv_lora_rank", "latent.rank", kNeeded},
                           {"q_lora_rank", "latent.query_rank"},
                           {"qk_nope_head_dim", "head_dim", kNeeded},
                           {"qk_rope_head_dim", "latent.rotary_dim", kNeeded},
                           {"v_head_dim", "latent.value_dim", kNeeded}};
constexpr Key kRouted[] = {
    {"n_routed_experts", "experts.count", kNeeded},        {"num_experts_per_tok", "experts.top_k", kNeeded},
    {"moe_intermediate_size", "experts.ffn", kNeeded},     {"n_shared_experts", "experts.shared"},
    {"first_k_dense_replace", "experts.first_dense", "0"}, {"num_nextn_predict_layers", "mtp"}};
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
constexpr Key kTied[] = {{"tie_word_embeddings", "tied_embeddings", "true"}};
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

constexpr Fact kLlamaStyle[] = {{"gated_mlp", "true"}, {"rotary", "true"}, {"bias", "false"}, {"norm", "rmsnorm"}};
constexpr Fact kNeoxStyle[] = {{"rotary", "true"}};
constexpr Fact kBertStyle[] = {{"causal", "false"}, {"embedding_norm", "true"}, {"head", "mlm"}};
constexpr Fact kQkvBias[] = {{"qkv_bias", "true"}};
constexpr Fact kQkNorm[] = {{"qk_norm", "true"}};
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

// Names, tokens, initial values, scales, and how published weights are stored: nothing of it takes time.
constexpr const char* kHarmless[] = {"_name_or_path",
                                     "architectures",
                                     "model_type",
                                     "torch_dtype",
                                     "dtype",
                                     "transformers_version",
                                     "auto_map",
                                     "id2label",
                                     "label2id",
                                     "task_specific_params",
                                     "tokenizer_class",
                                     "problem_type",
                                     "finetuning_task",
                                     "quantization_config",
                                     "_attn_implementation",
                                     "_attn_implementation_autoset",
                                     "bos_token_id",
                                     "eos_token_id",
                                     "pad_token_id",
                                     "unk_token_id",
                                     "sep_token_id",
                                     "cls_token_id",
                                     "decoder_start_token_id",
                                     "boi_token_index",
                                     "eoi_token_index",
                                     "image_token_index",
                                     "mm_tokens_per_image",
                                     "initializer_range",
                                     "initializer_factor",
                                     "rms_norm_eps",
                                     "layer_norm_eps",
                                     "layer_norm_epsilon",
                                     "rope_theta",
                                     "rope_scaling",
                                     "rope_parameters",
                                     "rope_local_base_freq",
                                     "rope_interleave",
                                     "rotary_pct",
                                     "rotary_emb_base",
                                     "partial_rotary_factor",
                                     "max_position_embeddings",
                                     "initial_context_length",
                                     "n_ctx",
                                     "query_pre_attn_scalar",
                                     "attn_logit_softcapping",
                                     "final_logit_softcapping",
                                     "swiglu_alpha",
                                     "cache_implementation",
                                     "use_cache",
                                     "output_attentions",
                                     "output_hidden_states",
                                     "output_router_logits",
                                     "return_dict",
                                     "return_dict_in_generate",
                                     "router_aux_loss_coef",
                                     "router_jitter_noise",
                                     "norm_topk_prob",
                                     "scoring_func",
                                     "seq_aux",
                                     "aux_loss_alpha",
                                     "routed_scaling_factor",
                                     "ep_size",
                                     "scale_attn_weights",
                                     "scale_attn_by_inverse_layer_idx",
                                     "reorder_and_upcast_attn",
                                     "summary_type",
                                     "summary_use_proj",
                                     "summary_activation",
                                     "summary_proj_to_labels",
                                     "summary_first_dropout",
                                     "classifier_dropout",
                                     "directionality",
                                     "pooler_fc_size",
                                     "pooler_num_attention_heads",
                                     "pooler_num_fc_layers",
                                     "pooler_size_per_head",
                                     "pooler_type",
                                     "do_sample",
                                     "temperature",
                                     "top_k",
                                     "top_p",
                                     "max_length",
                                     "use_bidirectional_attention",
                                     "embd_pdrop",
                                     "attn_pdrop",
                                     "attention_probs_dropout_prob",
                                     "max_window_layers",
                                     "rotary_dim",
                                     "qk_norm_type",
                                     "use_routing_bias",
                                     "chunk_size_feed_forward",
                                     "diversity_penalty",
                                     "encoder_no_repeat_ngram_size",
                                     "length_penalty",
                                     "min_length",
                                     "no_repeat_ngram_size",
                                     "num_beam_groups",
                                     "num_beams",
                                     "num_return_sequences",
                                     "repetition_penalty",
                                     "typical_p",
                                     "embedding_multiplier",
                                     "attention_multiplier",
                                     "residual_multiplier",
                                     "logits_scaling",
                                     "no_rope_layers",
                                     "no_rope_layer_interval",
                                     "original_max_position_embeddings",
                                     "embedding_dropout",
                                     "norm_epsilon",
                                     "model_parallel"};
// Without an effect at one value only.
constexpr Harmless kHarmlessAt[] = {{"attention_dropout", "0"},
                                    {"pretraining_tp", "1"},
                                    {"attention_bias", "false"},
                                    {"mlp_bias", "false"},
                                    {"use_mtp", "true"},  // the number of layers says it
                                    {"mtp_transformer_layers", "1"},
                                    {"shared_intermediate_size", "0"},
                                    {"use_mrope", "false"},
                                    {"attention_out_bias", "false"},
                                    {"residual_dropout", "0"},
                                    {"resid_pdrop", "0"},
                                    {"mlp_type", "default"},
                                    {"norm_type", "layer_norm"},
                                    {"position_embedding_type", "absolute"}};

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }
std::span<const char* const> harmless() { return kHarmless; }
std::span<const Harmless> harmless_at() { return kHarmlessAt; }

}  // namespace planner::hf
