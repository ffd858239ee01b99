// Each family of hf_plain.cc and hf_recurrent.cc: a published size, by its published figures.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/planner/import/hf_sample.h"

namespace {

struct Family {
  const char *architecture, *keys;
  double parameters_1e9;
  const char* source;
};

const std::vector<Family> kFamilies{
    {"BloomForCausalLM", R"("n_layer": 70, "hidden_size": 14336, "n_head": 112, "vocab_size": 250880)", 176.247,
     "BLOOM paper, table 3"},
    {"MptForCausalLM",
     R"("n_layers": 32, "d_model": 4096, "n_heads": 32, "vocab_size": 50432, "expansion_ratio": 4, "no_bias": true,
     "attn_config": {"alibi": true, "attn_type": "multihead_attention"})",
     6.649, "MPT-7B checkpoint"},
    {"FalconForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true,
     "new_decoder_architecture": false, "parallel_attn": true, "bias": false, "alibi": false)",
     6.92, "Falcon-7B checkpoint, tied"},
    {"FalconForCausalLM",
     R"("num_hidden_layers": 80, "hidden_size": 14848, "num_attention_heads": 232, "num_kv_heads": 8, "vocab_size": 65024,
     "new_decoder_architecture": true, "parallel_attn": true, "bias": false)",
     180, "name: Falcon-180B"},
    {"NemotronForCausalLM",
     R"("num_hidden_layers": 96, "hidden_size": 18432, "intermediate_size": 73728, "num_attention_heads": 96,
     "num_key_value_heads": 8, "vocab_size": 256000, "hidden_act": "relu2")",
     341, "Nemotron-4 340B report, table 1"},
    {"Exaone4ForCausalLM",
     R"("num_hidden_layers": 64, "hidden_size": 5120, "intermediate_size": 27392, "num_attention_heads": 40,
     "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 102400, "sliding_window": 4096,
     "sliding_window_pattern": "LLLG", "tie_word_embeddings": false)",
     32.0, "EXAONE 4.0 32B card"},
    {"ExaoneForCausalLM",
     R"("num_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 102400, "activation_function": "silu", "tie_word_embeddings": false)",
     7.82, "EXAONE 3.0 7.8B checkpoint"},
    {"Ernie4_5ForCausalLM",
     R"("num_hidden_layers": 18, "hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16,
     "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 103424, "tie_word_embeddings": true)",
     0.36, "ERNIE-4.5-0.3B card"},
    {"Ernie4_5_MoeForCausalLM",
     R"("num_hidden_layers": 54, "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64,
     "num_key_value_heads": 8, "vocab_size": 103424, "moe_num_experts": 64, "moe_k": 8, "moe_intermediate_size": 3584,
     "moe_num_shared_experts": 0, "moe_layer_start_index": 3, "moe_layer_end_index": 53, "moe_layer_interval": 1,
     "tie_word_embeddings": false)",
     300, "ERNIE-4.5-300B-A47B card"},
    {"HunYuanDenseV1ForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128167, "tie_word_embeddings": true)",
     7.5, "Hunyuan-7B checkpoint"},
    {"HunYuanMoEV1ForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 3072, "num_attention_heads": 32,
     "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128167, "num_experts": 64, "tie_word_embeddings": true,
     "moe_topk": [8, 8, 8, 8], "moe_intermediate_size": [3072, 3072], "num_shared_expert": [1, 1], "use_qk_norm": true)",
     80.4, "Hunyuan-A13B checkpoint"},
    {"PhiForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 2560, "intermediate_size": 10240, "num_attention_heads": 32,
     "vocab_size": 51200, "hidden_act": "gelu_new", "resid_pdrop": 0.1)",
     2.78, "Phi-2 checkpoint"},
    {"GPTJForCausalLM",
     R"("n_layer": 28, "n_embd": 4096, "n_head": 16, "vocab_size": 50400, "rotary_dim": 64,
     "activation_function": "gelu_new")",
     6.05, "GPT-J-6B checkpoint"},
    {"OPTForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "ffn_dim": 16384, "num_attention_heads": 32, "vocab_size": 50272,
     "max_position_embeddings": 2048, "word_embed_proj_dim": 4096, "activation_function": "relu", "dropout": 0.1)",
     6.658, "OPT-6.7B checkpoint"},
    {"CohereForCausalLM",
     R"("num_hidden_layers": 64, "hidden_size": 12288, "intermediate_size": 33792, "num_attention_heads": 96,
     "num_key_value_heads": 8, "vocab_size": 256000, "use_qk_norm": true, "logit_scale": 0.8)",
     103.81, "Command R+ checkpoint"},
    {"Cohere2ForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 256000, "sliding_window": 4096, "sliding_window_pattern": 4)",
     8.03, "Command R7B checkpoint"},
    {"StableLmForCausalLM",
     R"("num_hidden_layers": 40, "hidden_size": 5120, "intermediate_size": 13824, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 100352, "use_parallel_residual": true, "qk_layernorm": true)",
     12.14, "Stable LM 2 12B card"},
    {"InternLM2ForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 92544, "bias": false, "tie_word_embeddings": false)",
     7.74, "InternLM2-7B checkpoint"},
    {"InternLM3ForCausalLM",
     R"("num_hidden_layers": 48, "hidden_size": 4096, "intermediate_size": 10240, "num_attention_heads": 32,
     "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 128512, "qkv_bias": false, "bias": false)",
     8.8, "InternLM3-8B checkpoint"},
    {"GraniteMoeForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 1536, "intermediate_size": 512, "num_attention_heads": 24,
     "num_key_value_heads": 8, "vocab_size": 49155, "num_local_experts": 40, "num_experts_per_tok": 8,
     "tie_word_embeddings": true)",
     3.3, "Granite 3.1 3B-A800M card"},
    {"OlmoForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
     "vocab_size": 50304, "tie_word_embeddings": false)",
     6.888, "OLMo-7B checkpoint"},
    {"OlmoeForCausalLM",
     R"("num_hidden_layers": 16, "hidden_size": 2048, "intermediate_size": 1024, "num_attention_heads": 16,
     "num_key_value_heads": 16, "vocab_size": 50304, "num_experts": 64, "num_experts_per_tok": 8)",
     6.919, "OLMoE-1B-7B checkpoint"},
    {"Qwen2_5_VLForConditionalGeneration",
     R"("num_hidden_layers": 28, "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
     "num_key_value_heads": 4, "vocab_size": 152064, "use_sliding_window": false, "image_token_id": 1,
     "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584,
     "patch_size": 14, "temporal_patch_size": 2})",
     8.29, "Qwen2.5-VL-7B checkpoint"},
    {"Qwen2VLForConditionalGeneration",
     R"("num_hidden_layers": 28, "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
     "num_key_value_heads": 4, "vocab_size": 152064,
     "vision_config": {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "hidden_size": 3584, "patch_size": 14,
     "temporal_patch_size": 2})",
     8.29, "Qwen2-VL-7B checkpoint"},
    {"GlmForCausalLM",
     R"("num_hidden_layers": 40, "hidden_size": 4096, "intermediate_size": 13696, "num_attention_heads": 32,
     "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 151552, "attention_bias": true)",
     9.4, "GLM-4-9B checkpoint"},
    {"Glm4ForCausalLM",
     R"("num_hidden_layers": 61, "hidden_size": 6144, "intermediate_size": 23040, "num_attention_heads": 48,
     "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 151552, "attention_bias": false)",
     32.57, "GLM-4-32B-0414 checkpoint"},
    {"ApertusForCausalLM",
     R"("num_hidden_layers": 80, "hidden_size": 8192, "intermediate_size": 43008, "num_attention_heads": 64,
     "num_key_value_heads": 8, "vocab_size": 131072, "hidden_act": "xielu")",
     70.6, "Apertus 70B report"},
    {"ArceeForCausalLM",
     R"("num_hidden_layers": 36, "hidden_size": 2560, "intermediate_size": 18432, "num_attention_heads": 20,
     "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 128004, "hidden_act": "relu2")",
     4.62, "AFM-4.5B checkpoint"},
    {"Dots1ForCausalLM",
     R"("num_hidden_layers": 62, "hidden_size": 4096, "intermediate_size": 10944, "num_attention_heads": 32,
     "num_key_value_heads": 32, "head_dim": 128, "vocab_size": 152064, "n_routed_experts": 128, "n_shared_experts": 2,
     "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1)",
     142, "dots.llm1 report"},
    {"BailingMoeForCausalLM",
     R"("num_hidden_layers": 28, "hidden_size": 2048, "intermediate_size": 5632, "num_attention_heads": 16,
     "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 126464, "num_experts": 64, "num_experts_per_tok": 6,
     "num_shared_experts": 2, "moe_intermediate_size": 1408)",
     16.8, "Ling-lite report"},
    {"BailingMoeV2ForCausalLM",
     R"("num_hidden_layers": 20, "hidden_size": 2048, "intermediate_size": 5120, "num_attention_heads": 16,
     "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 157184, "num_experts": 256, "num_experts_per_tok": 8,
     "num_shared_experts": 1, "moe_intermediate_size": 512, "first_k_dense_replace": 1, "use_qk_norm": true,
     "n_group": 8, "topk_group": 4)",
     16.26, "Ling-mini-2.0 checkpoint"},
    {"LongcatFlashForCausalLM",
     R"("num_layers": 28, "hidden_size": 6144, "ffn_hidden_size": 12288, "num_attention_heads": 64, "vocab_size": 131072,
     "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
     "n_routed_experts": 512, "zero_expert_num": 256, "moe_topk": 12, "expert_ffn_hidden_size": 2048)",
     560, "LongCat-Flash report"},
    {"MambaForCausalLM",
     R"("num_hidden_layers": 64, "hidden_size": 2560, "vocab_size": 50280, "state_size": 16, "conv_kernel": 4, "expand": 2,
     "intermediate_size": 5120, "time_step_rank": 160)",
     2.768, "Mamba-2.8B checkpoint"},
    {"FalconMambaForCausalLM",
     R"("num_hidden_layers": 64, "hidden_size": 4096, "vocab_size": 65024, "state_size": 16, "conv_kernel": 4, "expand": 2,
     "time_step_rank": 256, "tie_word_embeddings": false)",
     7.27, "Falcon Mamba 7B checkpoint"},
    {"Mamba2ForCausalLM",
     R"("num_hidden_layers": 64, "hidden_size": 4096, "vocab_size": 32768, "num_heads": 128, "head_dim": 64, "n_groups": 8,
     "state_size": 128, "conv_kernel": 4, "chunk_size": 256, "tie_word_embeddings": false)",
     7.29, "Mamba-Codestral-7B checkpoint"},
    {"RWKV7ForCausalLM",
     R"("num_hidden_layers": 24, "hidden_size": 2048, "intermediate_size": 8192, "hidden_ratio": 4, "head_dim": 64,
     "num_heads": 32, "vocab_size": 65536, "hidden_act": "sqrelu", "decay_low_rank_dim": 96, "a_low_rank_dim": 96,
     "v_low_rank_dim": 64, "gate_low_rank_dim": 256, "tie_word_embeddings": false, "norm_bias": true)",
     1.527, "RWKV-7 paper, 1.5B"},
    {"BambaForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 128256, "attn_layer_indices": [9, 18, 27], "mamba_n_heads": 128,
     "mamba_d_head": 64, "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4, "mamba_chunk_size": 256)",
     9.78, "name: Bamba-9.8b"},
    {"GraniteMoeHybridForCausalLM",
     R"("num_hidden_layers": 40, "hidden_size": 4096, "intermediate_size": 768, "shared_intermediate_size": 1536,
     "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 100352, "num_local_experts": 72,
     "num_experts_per_tok": 10, "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_n_groups": 1, "mamba_d_state": 128,
     "mamba_d_conv": 4, "mamba_expand": 2, "position_embedding_type": "nope", "tie_word_embeddings": true,
     "layer_types": ["mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba",
     "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba",
     "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba",
     "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba"])",
     32.2, "Granite 4.0 H Small checkpoint"},
    {"JambaForCausalLM",
     R"("num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
     "num_key_value_heads": 8, "vocab_size": 65536, "num_experts": 16, "num_experts_per_tok": 2,
     "attn_layer_period": 8, "attn_layer_offset": 4, "expert_layer_period": 2, "expert_layer_offset": 1,
     "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 256)",
     51.6, "Jamba-v0.1 checkpoint"},
};

}  // namespace

TEST_CASE("a family's published size has its published number of parameters, and no warning but a tower's") {
  for (const Family& f : kFamilies) {
    HfFolder given("{\"architectures\": [\"" + std::string(f.architecture) + "\"], " + f.keys + "}");
    HfModel read("use: hf:config.json", given.directory);
    CAPTURE(f.architecture + std::string(", ") + f.source);
    const std::string told = read.told();
    CHECK_MESSAGE((told.empty() || (std::ranges::count(told, '\n') == 1 &&
                                    told.find("'vision_config' is left out") != std::string::npos)),
                  told);
    CHECK(planner::parameters(read.model()) / 1e9 == doctest::Approx(f.parameters_1e9).epsilon(0.02));
  }
}

TEST_CASE("what sets a family apart arrives in its fields") {
  struct Moved {
    const char *architecture, *keys, *field, *value;
  };
  const std::map<std::string, std::string> shapes{
      {"bloom", "\"n_layer\": 8, \"hidden_size\": 64, \"n_head\": 4, \"vocab_size\": 100"},
      {"mpt", "\"n_layers\": 8, \"d_model\": 64, \"n_heads\": 4, \"vocab_size\": 100"},
      {"opt",
       "\"num_hidden_layers\": 8, \"hidden_size\": 64, \"ffn_dim\": 128, \"num_attention_heads\": 4, \"vocab_size\": "
       "100, \"max_position_embeddings\": 64"},
      {"llama",
       "\"num_hidden_layers\": 8, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, "
       "\"vocab_size\": 100"}};
  const auto shape_of = [&](const std::string& name) {
    if (name.starts_with("Bloom") || name.starts_with("Falcon")) return shapes.at("bloom");
    if (name.starts_with("Mpt")) return shapes.at("mpt");
    return shapes.at(name.starts_with("OPT") ? "opt" : "llama");
  };
  for (const Moved& c : {
           Moved{"BloomForCausalLM", "", "embedding_norm", "true"},
           {"BloomForCausalLM", "", "rotary", "false"},
           {"BloomForCausalLM", "", "positions", "0"},
           {"MptForCausalLM", "", "bias", "false"},
           {"MptForCausalLM", ", \"no_bias\": true", "bias", "false"},
           {"MptForCausalLM", ", \"no_bias\": false", "bias", "true"},
           {"MptForCausalLM", ", \"expansion_ratio\": 3", "ffn", "192"},
           {"MptForCausalLM", ", \"attn_config\": {\"kv_n_heads\": 2}", "kv_heads", "2"},
           {"MptForCausalLM", ", \"attn_config\": {\"attn_type\": \"multiquery_attention\"}", "kv_heads", "1"},
           {"MptForCausalLM", ", \"attn_config\": {\"qk_ln\": true}", "qk_norm", "true"},
           {"MptForCausalLM", ", \"attn_config\": {\"rope\": true}", "rotary", "true"},
           {"FalconForCausalLM", ", \"multi_query\": false", "kv_heads", "4"},
           {"FalconForCausalLM", "", "kv_heads", "1"},
           {"FalconForCausalLM", ", \"new_decoder_architecture\": true, \"num_kv_heads\": 2", "kv_heads", "2"},
           {"FalconForCausalLM", ", \"new_decoder_architecture\": true, \"n_head_kv\": 2", "kv_heads", "2"},
           {"FalconForCausalLM", ", \"alibi\": true", "rotary", "false"},
           {"FalconForCausalLM", ", \"parallel_attn\": false", "parallel_block", "false"},
           {"OPTForCausalLM", "", "activation", "relu"},
           {"OPTForCausalLM", "", "positions", "64"},
           {"NemotronForCausalLM", "", "activation", "squared-relu"},
           {"NemotronForCausalLM", "", "norm", "layernorm"},
           {"CohereForCausalLM", "", "parallel_block", "true"},
           {"Cohere2ForCausalLM", "", "window.global_every", "4"},
           {"Cohere2ForCausalLM", ", \"sliding_window_pattern\": 2", "window.global_every", "2"},
           {"Exaone4ForCausalLM", "", "window.size", "0"},
           {"Exaone4ForCausalLM", ", \"sliding_window\": 16", "window.global_every", "4"},
           {"Exaone4ForCausalLM", ", \"sliding_window\": 16, \"sliding_window_pattern\": \"LG\"", "window.global_every",
            "2"},
           {"Exaone4ForCausalLM", ", \"sliding_window\": 16, \"sliding_window_pattern\": 8", "window.global_every",
            "8"},
           {"StableLmForCausalLM", ", \"use_parallel_residual\": true", "parallel_block", "true"},
           {"StableLmForCausalLM", ", \"use_qkv_bias\": true", "qkv_bias", "true"},
           {"Glm4ForCausalLM", "", "post_norm", "true"},
           {"ApertusForCausalLM", ", \"hidden_act\": \"xielu\"", "gated_mlp", "false"},
           {"Qwen2_5_VLForConditionalGeneration", "", "qkv_bias", "true"},
       }) {
    HfFolder given("{\"architectures\": [\"" + std::string(c.architecture) + "\"], " + shape_of(c.architecture) +
                   c.keys + "}");
    HfModel read("use: hf:config.json", given.directory);
    CAPTURE(std::string(c.architecture) + c.keys + " " + c.field);
    CHECK(read.told() == "");
    CHECK(read.at(c.field) == c.value);
  }
}

TEST_CASE("what a family's fields cannot say is a warning, what it does not take an error") {
  const std::string shape =
      "\"num_hidden_layers\": 8, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, "
      "\"vocab_size\": 100,\n";
  struct Told {
    const char *architecture, *keys, *told;
  };
  for (const Told& c : {
           Told{"Ernie4_5_MoeForCausalLM",
                "\"moe_num_experts\": 4, \"moe_k\": 2, \"moe_intermediate_size\": 8, \"moe_layer_end_index\": 3",
                "2:86 warning: 'moe_layer_end_index': layers behind it are planned with experts\n"},
           {"OPTForCausalLM", "\"ffn_dim\": 128, \"max_position_embeddings\": 64, \"word_embed_proj_dim\": 32",
            "2:71 warning: 'word_embed_proj_dim': embeddings narrower than layers are planned as wide as these\n"},
           {"FalconForCausalLM", "\"multi_query\": 1", "2:16 error: expected true or false for 'multi_query'\n"},
           {"BambaForCausalLM", "\"attn_layer_indices\": [8]",
            "2:24 error: 'attn_layer_indices' names layer 8, which the model does not have; layers are 0 to 7\n"},
           {"GraniteMoeHybridForCausalLM", "\"layer_types\": [\"mamba\"]",
            "2:16 error: 'layer_types' has 1 items, and the model 8 layers; list one item for each layer\n"},
           {"JambaForCausalLM", "\"attn_layer_period\": 0",
            "2:22 error: expected a whole number of at least 1, got '0'\n"},
           {"HunYuanMoEV1ForCausalLM", "\"num_experts\": [4, 8], \"moe_topk\": 2",
            "2:16 error: expected one value for 'num_experts'\n"},
       }) {
    const HfTree tree("{\"architectures\": [\"" + std::string(c.architecture) + "\"], " + shape + c.keys + "}");
    CAPTURE(std::string(c.architecture) + c.keys);
    CHECK_MESSAGE(tree.told().find(c.told) != std::string::npos, tree.told());
    CHECK_MESSAGE(tree.model.broken == (std::string(c.told).find("error") != std::string::npos), tree.told());
  }
}

TEST_CASE("recurrent layers and those of attention and experts stand where the configuration says") {
  const std::string shape =
      "\"num_hidden_layers\": 8, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, "
      "\"vocab_size\": 100, ";
  const std::string mamba2 = "mamba2 heads=8 value_dim=16 key_heads=1 key_dim=256 kernel=4 chunk=256 feed_forward=";
  struct Layers {
    const char *architecture, *keys;
    std::string layers;
  };
  for (const Layers& c : {
           Layers{"MambaForCausalLM", "\"expand\": 2, \"state_size\": 8",
                  "Dx8; mamba1 heads=128 key_dim=8 kernel=4 rank=4"},
           {"MambaForCausalLM", "\"time_step_rank\": 9, \"conv_kernel\": 3",
            "Dx8; mamba1 heads=128 key_dim=16 kernel=3 rank=9"},
           {"Mamba2ForCausalLM", "\"num_heads\": 8, \"head_dim\": 16, \"n_groups\": 2, \"state_size\": 32",
            "Mx8; mamba2 heads=8 value_dim=16 key_heads=2 key_dim=32 kernel=4 chunk=256"},
           {"RWKV7ForCausalLM", "\"head_dim\": 16, \"gate_low_rank_dim\": 90",
            "Dx8; rwkv7 value_dim=16 rank=20 feed_forward=mlp"},
           {"BambaForCausalLM", "\"attn_layer_indices\": [1, 5], \"mamba_n_heads\": 8",
            "MAMMMAMM; " + mamba2 + "mlp; block"},
           {"GraniteMoeHybridForCausalLM",
            R"("mamba_n_heads": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 32,
            "layer_types": ["mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "attention"])",
            "MMMXMMMX; " + mamba2 + "experts; experts-block"},
           {"GraniteMoeHybridForCausalLM",
            R"("mamba_n_heads": 8, "num_local_experts": 0, "shared_intermediate_size": 32)", "Mx8; " + mamba2 + "mlp"},
           {"JambaForCausalLM", "\"attn_layer_period\": 4, \"attn_layer_offset\": 2",
            "DFAFDFAF; mamba1 heads=128 key_dim=16 kernel=4 rank=4 feed_forward=mlp; mamba1 heads=128 key_dim=16 "
            "kernel=4 rank=4 feed_forward=experts; block"},
           {"JambaForCausalLM", "\"attn_layer_period\": 8, \"attn_layer_offset\": 1, \"num_experts\": 1",
            "DADx6; mamba1 heads=128 key_dim=16 kernel=4 rank=4 feed_forward=mlp; block"},
       }) {
    const HfTree tree("{\"architectures\": [\"" + std::string(c.architecture) + "\"], " + shape + c.keys + "}");
    CAPTURE(std::string(c.architecture) + c.keys + tree.told());
    CHECK(tree.layers() == c.layers);
  }
}
