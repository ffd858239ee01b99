// Keys of Hugging Face configurations that no plan depends on.
#include <iterator>
#include <sstream>
#include <string_view>

#include "planner/import/hf_architecture.h"

namespace planner::hf {
namespace {

// Names, tokens, initial values, scales, and how published weights are stored: nothing of it takes time.
constexpr std::string_view kHarmless =
    "_name_or_path architectures model_type torch_dtype dtype transformers_version auto_map id2label label2id "
    "task_specific_params tokenizer_class problem_type finetuning_task quantization_config _attn_implementation "
    "_attn_implementation_autoset bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id cls_token_id "
    "decoder_start_token_id boi_token_index eoi_token_index image_token_index mm_tokens_per_image "
    "initializer_range initializer_factor rms_norm_eps layer_norm_eps layer_norm_epsilon rope_theta rope_scaling "
    "rope_parameters rope_local_base_freq rope_interleave rotary_pct rotary_emb_base partial_rotary_factor "
    "max_position_embeddings initial_context_length n_ctx query_pre_attn_scalar attn_logit_softcapping "
    "final_logit_softcapping swiglu_alpha cache_implementation use_cache output_attentions output_hidden_states "
    "output_router_logits return_dict return_dict_in_generate router_aux_loss_coef router_jitter_noise "
    "norm_topk_prob scoring_func seq_aux aux_loss_alpha routed_scaling_factor ep_size scale_attn_weights "
    "scale_attn_by_inverse_layer_idx reorder_and_upcast_attn summary_type summary_use_proj summary_activation "
    "summary_proj_to_labels summary_first_dropout classifier_dropout directionality pooler_fc_size "
    "pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type do_sample temperature "
    "top_k top_p max_length use_bidirectional_attention embd_pdrop attn_pdrop attention_probs_dropout_prob "
    "max_window_layers rotary_dim qk_norm_type use_routing_bias chunk_size_feed_forward diversity_penalty "
    "encoder_no_repeat_ngram_size length_penalty min_length no_repeat_ngram_size num_beam_groups num_beams "
    "num_return_sequences repetition_penalty typical_p embedding_multiplier attention_multiplier "
    "residual_multiplier logits_scaling no_rope_layers no_rope_layer_interval original_max_position_embeddings "
    "embedding_dropout norm_epsilon model_parallel mamba_hidden_act mamba_ssm_cache_dtype mamba_ssm_dtype expand "
    "time_step_floor time_step_max time_step_min time_step_limit time_step_rank num_logits_to_keep "
    "rescale_prenorm_residual use_conv_bias use_mamba_kernels norm_eps indexer_rope_interleave "
    "index_share_for_mtp_iteration moe_router_dtype moe_router_activation_func "
    "moe_router_scaling_factor use_moe_router_bias moe_renormalize use_grouped_topk compress_rope_theta hc_eps "
    "hc_sinkhorn_iters num_hash_layers expert_dtype use_gemma_norm mla_use_nope "
    "latent_moe_use_norm bad_words_ids ignore_index qk_head_dim qk_rope_head_dim activation_situ_beta "
    "activation_situ_linear_beta num_mtp_modules vocab_size_per_layer_input "
    // Of Bloom, MPT, OPT and Phi.
    "seq_length masked_softmax_fusion attention_softmax_in_fp32 bias_dropout_fusion offset_alibi skip_bias_add "
    "skip_bias_add_qkv slow_but_exact pretraining_tp pretraining_pp emb_pdrop embedding_fraction init_config "
    "init_device max_seq_len verbose learned_pos_emb logit_scale layerdrop init_std prefix do_layer_norm_before "
    "layer_norm_elementwise_affine rotary rope_pct "
    // Of Ernie, Hunyuan, Ling, Cohere and LongCat.
    "moe_use_aux_free moe_capacity moe_gate moe_norm_min use_rmsnorm eod_token_id org_vocab_size "
    "use_rotary_pos_emb use_mixed_mlp_moe num_media_embeds mask_init_id im_start_id im_end_id im_newline_id "
    "text_start_id text_end_id image_token_id video_token_id vision_start_token_id vision_end_token_id "
    "vision_token_id audio_token_id pool_type norm_softmax score_function router_dtype mtp_loss_scaling_factor "
    "moe_router_enable_expert_bias order_of_interleaved_layers cla_share_factor "
    "zero_expert_type mla_scale_q_lora mla_scale_kv_lora "
    // Of recurrences.
    "residual_in_fp32 rms_norm fused_add_norm ssm_cfg time_step_init_scheme time_step_scale mamba_conv_bias "
    "mixer_rms_eps pad_vocab_size_multiple z_loss_coefficient use_associative_scan use_mambapy d_intermediate "
    "attn_mode norm_first norm_bias fuse_norm fuse_cross_entropy fuse_linear_cross_entropy use_l2warp value_dim";
// Without an effect at one value only.
constexpr HarmlessKey kHarmlessAt[] = {{"attention_dropout", "0"},
                                       {"attention_bias", "false"},
                                       {"mlp_bias", "false"},
                                       {"use_mtp", "true"},  // the number of layers says it
                                       {"mtp_transformer_layers", "1"},
                                       {"shared_intermediate_size", "0"},
                                       {"use_mrope", "false"},
                                       {"attention_out_bias", "false"},
                                       {"residual_dropout", "0"},
                                       {"hidden_dropout", "0"},
                                       {"n_group", "1"},
                                       {"topk_group", "1"},
                                       {"num_expert_group", "1"},
                                       {"hidden_size_per_layer_input", "0"},
                                       {"num_kv_shared_layers", "0"},
                                       {"resid_pdrop", "0"},
                                       {"mlp_type", "default"},
                                       {"norm_type", "layer_norm"},
                                       {"norm_type", "low_precision_layernorm"},
                                       {"norm_type", "rms"},
                                       {"normalization_function", "rmsnorm"},
                                       {"activation_dropout", "0"},
                                       {"embed_dropout", "0"},
                                       {"output_dropout", "0"},
                                       {"moe_layer_num_skipped", "0"},
                                       {"position_embedding_type", "rope"},
                                       {"position_embedding_type", "rope_gptj"},
                                       {"position_embedding_type", "nope"},
                                       {"attention_method", "MLA"},
                                       {"position_embedding_type", "absolute"}};

}  // namespace

const std::set<std::string, std::less<>>& harmless() {
  static const std::set<std::string, std::less<>> keys = [] {
    std::istringstream words{std::string(kHarmless)};
    return std::set<std::string, std::less<>>(std::istream_iterator<std::string>(words), {});
  }();
  return keys;
}
std::span<const HarmlessKey> harmless_at() { return kHarmlessAt; }

}  // namespace planner::hf
