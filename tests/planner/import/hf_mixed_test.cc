// Layers of unlike kinds, as configurations list them.
#include <doctest/doctest.h>

#include "planner/import/layer_draft.h"
#include "tests/planner/import/hf_sample.h"

namespace {

/// Four layers of a model with heads and an MLP, as the second line of a configuration; `keys` follow on lines of
/// their own.
std::string config(const std::string& architecture, const std::string& keys, const std::string& layers = "4") {
  return "{\"architectures\": [\"" + architecture + "\"], \"hidden_size\": 64, \"vocab_size\": 100,\n" +
         "\"num_attention_heads\": 8, \"intermediate_size\": 128, \"num_hidden_layers\": " + layers + ",\n" + keys +
         "}";
}

constexpr const char* kSparse = "DeepseekV32ForCausalLM";
constexpr const char* kExperts = "\"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 8";
constexpr const char* kGemmaExperts = "\"num_experts\": 4, \"top_k_experts\": 2, \"moe_intermediate_size\": 8";
constexpr const char* kLatent =
    "\"kv_lora_rank\": 8, \"q_lora_rank\": 8, \"qk_nope_head_dim\": 8, \"qk_rope_head_dim\": 8, \"v_head_dim\": 8, "
    "\"n_routed_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 8";
constexpr const char* kIndexer = ", \"index_n_heads\": 2, \"index_head_dim\": 16, \"index_topk\": 32";

/// Keys behind those of the architecture, and the layers that they give.
struct LayersCase {
  const char *architecture, *given, *keys, *layers;
};

const std::vector<LayersCase> kMixers{
    {"MiniMaxM3ForCausalLM", "\"x\": null", "", "Ax4; block"},
    {"MiniMaxM3ForCausalLM", "\"x\": null",
     R"(, "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])",
     "ADAD; block window=16; block"},
    {"Qwen3NextForCausalLM", "\"full_attention_interval\": 2", "", "GAGA; gated-delta feed_forward=mlp; block"},
    {"Qwen3NextForCausalLM", "\"full_attention_interval\": 4",
     R"(, "linear_num_value_heads": 4, "linear_value_head_dim": 16, "linear_num_key_heads": 2, "linear_key_head_dim": 32,
     "linear_conv_kernel_dim": 3, "attn_output_gate": true)",
     "GGGA; gated-delta heads=4 value_dim=16 key_heads=2 key_dim=32 kernel=3 feed_forward=mlp; block gated=true"},
    {"Qwen3NextForCausalLM",
     R"("layer_types": ["linear_attention", "linear_attention", "full_attention", "linear_attention"])", "",
     "GGAG; gated-delta feed_forward=mlp; block"},
    {"Llama4ForConditionalGeneration", "\"attention_chunk_size\": 64, \"num_local_experts\": 0", "",
     "AAAD; block window=32; block"},
    {"Llama4ForConditionalGeneration",
     "\"attention_chunk_size\": 64, \"no_rope_layer_interval\": 2, \"num_local_experts\": 0", "",
     "ADAD; block window=32; block"},
    {"Llama4ForConditionalGeneration",
     "\"attention_chunk_size\": 64, \"no_rope_layers\": [0, 1, 1, 0], \"num_local_experts\": 0", "",
     "ADDA; block; block window=32"},
    {"Llama4ForConditionalGeneration", "\"attention_chunk_size\": 64, \"no_rope_layers\": [], \"num_local_experts\": 0",
     "", "AAAD; block window=32; block"},
    {"MiniMaxM3ForCausalLM",
     R"("sparse_attention_config": {"use_sparse_attention": true, "sparse_attention_freq": [0, 1, 1, 0], "sparse_num_index_heads": 2,
     "sparse_index_dim": 16, "sparse_topk_blocks": 4, "sparse_block_size": 32})",
     "",
     "ABBA; block; block-sparse-attention indexer.heads=2 indexer.head_dim=16 indexer.top_k=4 indexer.block=32 "
     "feed_forward=mlp"},
    {"MiniMaxM3ForCausalLM",
     R"("sparse_attention_config": {"use_sparse_attention": false, "sparse_attention_freq": [0, 1, 1, 0]})", "",
     "Ax4; block"},
    {"KimiLinearForCausalLM",
     R"("linear_attn_config": {"kda_layers": [1, 2, 4], "full_attn_layers": [3], "num_heads": 4, "head_dim": 16,
     "short_conv_kernel_size": 3})",
     "", "KKAK; kda heads=4 value_dim=16 kernel=3 feed_forward=mlp; block"},
    {"KimiLinearForCausalLM", R"("linear_attn_config": {"kda_layers": [1], "use_full_rank_gate": true})",
     ", \"mla_use_output_gate\": true", "KAAA; kda-full-gate feed_forward=mlp; block gated=true"},
    {"DeepseekV4ForCausalLM",
     R"("sliding_window": 16, "index_n_heads": 2, "index_head_dim": 16, "index_topk": 32, "compress_ratios": [0, 4, 128, 4])",
     "",
     "ACDC; block window=16 shared_values=true; compressed-attention window=16 shared_values=true compression=4 "
     "overlap=2 "
     "indexer.heads=2 indexer.head_dim=16 indexer.top_k=32 feed_forward=mlp; compressed-attention window=16 "
     "shared_values=true compression=128 overlap=1 feed_forward=mlp"},
    {"DeepseekV4ForCausalLM", "\"o_lora_rank\": 8, \"o_groups\": 2, \"q_lora_rank\": 16, \"hc_mult\": 4", "",
     "Ax4; block query_rank=16 output_rank=8 output_groups=2 streams=4"},
    {"KimiLinearForCausalLM",
     R"("attn_res_block_size": 12, "linear_attn_config": {"kda_layers": [1, 2, 4], "full_attn_layers": [3]})", "",
     "KKAK; kda feed_forward=mlp residual_block=12; block residual_block=12"},
    {"Gemma4ForConditionalGeneration",
     R"("sliding_window": 16, "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
     "num_global_key_value_heads": 2, "global_head_dim": 16, "attention_k_eq_v": true)",
     "", "AAAD; block window=16; block kv_heads=2 head_dim=16 shared_values=true"}};

constexpr const char* kAllChoose =
    "Sx4; sparse-attention indexer.heads=2 indexer.head_dim=16 indexer.top_k=32 feed_forward=experts";
// S: a layer with an indexer; s: one that shares its choice.
const std::vector<LayersCase> kIndexers{
    {kSparse, kLatent, "", kAllChoose},
    {kSparse, kLatent, R"(, "indexer_types": ["full", "shared", "full", "shared"])", "SsSs"},
    {kSparse, kLatent, R"(, "index_topk_freq": 2)", "SSsS"},  // transformers: by default the second layer is the first
    {kSparse, kLatent, R"(, "index_topk_freq": 2, "index_skip_topk_offset": 1)", "SsSs"},
    {kSparse, kLatent, R"(, "index_topk_freq": 3, "index_skip_topk_offset": 1)", "SssS"},
    {kSparse, kLatent, R"(, "index_topk_freq": 1)", "SSSS"},
    {kSparse, kLatent, R"(, "index_topk_pattern": "FSSF")", "SssS"},
    {kSparse, kLatent, R"(, "index_topk_pattern": "FSSS", "indexer_types": ["full", "full", "full", "shared"])",
     "SSSs"}};

const std::vector<LayersCase> kMixtures{
    {kSparse, kLatent, "", "Xx4"},
    {kSparse, kLatent, R"(, "first_k_dense_replace": 1)", "AXXX"},
    {kSparse, kLatent, R"(, "first_k_dense_replace": 9)", "Ax4"},
    {kSparse, kLatent, R"(, "moe_layer_freq": 1)", "Xx4"},
    {kSparse, kLatent, R"(, "moe_layer_freq": 2)", "XAXA"},
    {kSparse, kLatent, R"(, "moe_layer_freq": 2, "first_k_dense_replace": 1)", "AAXA"},
    {kSparse, kLatent, R"(, "mlp_layer_types": ["dense", "sparse", "sparse", "dense"])", "AXXA"},
    {"MiniMaxM3ForCausalLM", kExperts, R"(, "moe_layer_freq": [0, 1, 0, 1])", "AXAX"},
    {"Qwen3NextForCausalLM", kExperts, R"(, "mlp_only_layers": [0, 2])", "AXAX"},
    {"Qwen3NextForCausalLM", kExperts, R"(, "mlp_only_layers": [])", "Xx4"},
    {"Qwen3NextForCausalLM", kExperts, R"(, "decoder_sparse_step": 2)", "AXAX"},
    {"Qwen3NextForCausalLM", kExperts, R"(, "decoder_sparse_step": 1)", "Xx4"},
    {"Llama4ForConditionalGeneration", "\"num_local_experts\": 4", R"(, "interleave_moe_layer_step": 2)", "AXAX"},
    {"Llama4ForConditionalGeneration", "\"num_local_experts\": 4", R"(, "moe_layers": [1, 2])", "AXXA"},
    {"Gemma4ForConditionalGeneration", kGemmaExperts, "", "Xx4"},
    {"Gemma4ForConditionalGeneration", kGemmaExperts, R"(, "enable_moe_block": false)", "Ax4"},
    {"Gemma4ForConditionalGeneration", "\"num_experts\": null", "", "Ax4"},
    {"KimiLinearForCausalLM", kExperts, R"(, "routed_expert_hidden_size": 32)", "Xx4; experts-block expert_width=32"}};

/// The configuration of a case: the language model's keys lie in `text_config` where the architecture has them there.
std::string text_of(const LayersCase& c) {
  std::string text = config(c.architecture, std::string(c.given) + c.keys);
  const std::string latent =
      "\"kv_lora_rank\": 8, \"qk_nope_head_dim\": 8, \"qk_rope_head_dim\": 8, \"v_head_dim\": 8, ";
  if (std::string(c.architecture) == "KimiLinearForCausalLM") text.insert(1, latent);
  if (!std::string(c.architecture).ends_with("ForConditionalGeneration")) return text;
  const size_t comma = text.find("], ") + 3;
  return text.substr(0, comma) + "\"text_config\": {" + text.substr(comma) + "}";
}

/// Of both only as much as the shorter one of them says: a pattern, or the pattern and its kinds.
void check(const LayersCase& c) {
  const HfTree tree(text_of(c));
  CAPTURE(tree.source.text);
  CHECK(tree.told() == "");
  const std::string layers = tree.layers(), said = c.layers;
  CHECK(layers.substr(0, said.find(';') == std::string::npos ? layers.find(';') : layers.size()) == said);
}

}  // namespace

TEST_CASE("what mixes tokens in each layer follows from the keys that say it") {
  for (const LayersCase& c : kMixers) check(c);
}

TEST_CASE("an indexer runs in all layers, in those that a list names, or in every n-th") {
  for (LayersCase c : kIndexers) {
    const std::string keys = std::string(kIndexer) + c.keys;
    c.keys = keys.c_str();
    const HfTree tree(text_of(c));
    CAPTURE(tree.source.text);
    CHECK(tree.told() == "");
    const std::string layers = tree.layers();
    std::string letters = planner::expand_pattern(layers.substr(0, layers.find(';'))).letters;
    for (char& letter : letters) letter = letter == 'S' ? 'S' : 's';  // the first layer has an indexer
    if (c.layers == kAllChoose) CHECK(layers == c.layers);
    else CHECK(letters == std::string(c.layers));
    CHECK((layers.find("indexer.shared=true") != std::string::npos) ==
          (std::string(c.layers).find("Ss") != std::string::npos));
  }
}

TEST_CASE("which layers have experts follows from the keys that say it") {
  for (const LayersCase& c : kMixtures) check(c);
}

TEST_CASE("a model without experts in any layer says nothing of experts") {
  const HfTree tree(config("Qwen3NextForCausalLM", "\"full_attention_interval\": 2"));
  CHECK(tree.model.find("experts") == nullptr);
  const HfTree off(text_of({"Gemma4ForConditionalGeneration", kGemmaExperts, R"(, "enable_moe_block": false)", ""}));
  CHECK(off.model.find("experts") == nullptr);
}

TEST_CASE("parts of hybrid models are letters or words") {
  const std::string mamba =
      ", \"mamba_num_heads\": 4, \"mamba_head_dim\": 16, \"n_groups\": 2, \"ssm_state_size\": 32, \"conv_kernel\": 3, "
      "\"chunk_size\": 16";
  const std::string experts = ", \"n_routed_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 8";
  const std::string kinds =
      "; mamba2 heads=4 value_dim=16 key_heads=2 key_dim=32 kernel=3 chunk=16; mlp; attention; experts";
  for (const char* keys : {"\"hybrid_override_pattern\": \"M-*E\"", "\"hybrid_override_pattern\": \"M-|*E\"",
                           "\"layers_block_type\": [\"mamba\", \"mlp\", \"attention\", \"moe\"]"}) {
    const HfTree tree(config("NemotronHForCausalLM", keys + mamba + experts));
    CHECK(tree.told() == "");
    CHECK(tree.layers() == "M-*E" + kinds);
  }
  const HfTree narrow(config("NemotronHForCausalLM",
                             "\"hybrid_override_pattern\": \"EEEE\", \"moe_latent_size\": 32" + mamba + experts));
  CHECK(narrow.layers() == "Ex4; experts expert_width=32");
}

TEST_CASE("what a prediction layer is made of is listed by words, and counts where there are such layers") {
  const std::string parts = "\"hybrid_override_pattern\": \"--*-\", \"mtp_layers_block_type\": ",
                    one = ", \"num_nextn_predict_layers\": 1";
  struct Row {
    std::string keys;
    const char *predicted, *layers;
  };
  const Row rows[] = {{parts + "[\"attention\", \"mlp\"]" + one, "*-", "--*-; mlp; attention"},
                      {parts + "[\"mlp\"]" + one, "", "--*-; mlp; attention"},  // the last layer
                      {parts + "[\"attention\", \"mlp\"]", "", "--*-; mlp; attention"},
                      {parts + "[\"mamba\"]" + one, "M", "--*-; mlp; attention; mamba2"}};
  for (const Row& row : rows) {
    CAPTURE(row.keys);
    const HfTree tree(config("NemotronHForCausalLM", row.keys));
    CHECK(tree.told() == "");
    CHECK(tree.layers() == row.layers);
    const dsl::Node* predicted = tree.model.find("mtp_pattern");
    CHECK((predicted ? predicted->text : "") == row.predicted);
  }
  const HfTree unknown(config("NemotronHForCausalLM", parts + "[\"lstm\"]" + one));
  CHECK(unknown.told() ==
        "3:61 error: 'mtp_layers_block_type': unknown kind of layer 'lstm'; known: M (mamba), * "
        "(attention), - (mlp), E (moe)\n");
}

TEST_CASE("the blocks of a searched model have heads and widths of their own, or lack a part") {
  const std::string blocks = R"("block_configs": [
    {"attention": {"n_heads_in_group": 4, "no_op": false}, "ffn": {"ffn_mult": 3.0, "no_op": false}},
    {"attention": {"no_op": true}, "ffn": {"ffn_mult": 6.0}},
    {"attention": {"n_heads_in_group": 8}, "ffn": {"no_op": true}},
    {"attention": {"no_op": true}, "ffn": {"no_op": true}}])";
  const HfTree tree(config("DeciLMForCausalLM", blocks));
  CHECK(tree.told() == "");
  CHECK(tree.layers() == "A-*; block kv_heads=2 ffn=256; mlp ffn=256; attention kv_heads=1");
}

TEST_CASE("a listed model binds: kinds take what the model says") {
  HfFolder given(config("Qwen3NextForCausalLM", std::string("\"full_attention_interval\": 2, ") + kExperts +
                                                    ", \"linear_num_value_heads\": 4, \"linear_value_head_dim\": 16"));
  const planner::Model model = HfModel("use: hf:config.json", given.directory).model();
  REQUIRE(model.kinds.size() == 2);
  CHECK(model.pattern == "GXGX");
  CHECK(model.kinds[0].heads == 4);
  CHECK(model.kinds[1].heads == 8);
  CHECK(model.kinds[0].feed_forward == planner::FeedForward::experts);
}

TEST_CASE("wrong types and lengths are errors at their places") {
  struct Wrong {
    const char *architecture, *keys, *told;
  };
  const char* const kLayers = "; list one item for each layer\n";
  for (
      const Wrong& c : {
          Wrong{"Qwen3NextForCausalLM", "\"layer_types\": [\"full_attention\"]",
                "3:16 error: 'layer_types' has 1 items, and the model 4 layers"},
          {"Qwen3NextForCausalLM", "\"layer_types\": \"full_attention\"",
           "3:16 error: expected a list for 'layer_types'\n"},
          {"Qwen3NextForCausalLM", "\"layer_types\": [\"half_attention\"]",
           "3:17 error: unknown kind of layer 'half_attention' in 'layer_types'; known: full_attention, "
           "sliding_attention, chunked_attention, linear_attention\n"},
          {"Qwen3NextForCausalLM", "\"full_attention_interval\": 0",
           "3:28 error: expected a whole number of at least 1, got '0'\n"},
          {"Qwen3NextForCausalLM", "\"full_attention_interval\": \"two\"",
           "3:28 error: expected a whole number, got 'two'\n"},
          {"Qwen3NextForCausalLM", "\"full_attention_interval\": 2, \"linear_num_value_heads\": [4]",
           "3:57 error: expected a whole number, got ''\n"},
          {"Qwen3NextForCausalLM", "\"attn_output_gate\": 1",
           "3:21 error: expected true or false for 'attn_output_gate'\n"},
          {"Qwen3NextForCausalLM", "\"mlp_only_layers\": [4], \"num_experts\": 2",
           "3:21 error: 'mlp_only_layers' names layer 4, which the model does not have; layers are 0 to 3\n"},
          {"Qwen3NextForCausalLM", "\"mlp_only_layers\": [\"a\"], \"num_experts\": 2",
           "3:21 error: expected a whole number, got 'a'\n"},
          {"MiniMaxM3ForCausalLM", "\"moe_layer_freq\": [0, 1]",
           "3:19 error: 'moe_layer_freq' has 2 items, and the model 4 layers"},
          {"MiniMaxM3ForCausalLM", "\"moe_layer_freq\": 0",
           "3:19 error: expected a whole number of at least 1, got '0'\n"},
          {"MiniMaxM3ForCausalLM", "\"mlp_layer_types\": [\"thick\"]",
           "3:21 error: unknown kind of layer 'thick' in 'mlp_layer_types'; known: dense, sparse\n"},
          {"MiniMaxM3ForCausalLM", "\"sparse_attention_config\": 1",
           "3:28 error: expected a map for 'sparse_attention_config'\n"},
          {"MiniMaxM3ForCausalLM", "\"sparse_attention_config\": {\"sparse_block_size\": 1}",
           "3:28 error: missing key 'sparse_attention_freq' of sparse_attention_config\n"},
          {"MiniMaxM3ForCausalLM",
           R"("sliding_window": null, "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention"])",
           "3:19 error: 'sliding_window': missing: layers of 'sliding_attention' have it\n"},
          {"DeepseekV4ForCausalLM", "\"sliding_window\": 8, \"compress_ratios\": [0, 4, 4, 4, 0]",
           "3:41 error: 'compress_ratios' has 5 items, and the model 4 layers"},
          {"NemotronHForCausalLM", "\"hybrid_override_pattern\": \"M\"",
           "3:28 error: 'hybrid_override_pattern': lists 1 layers, and 'num_hidden_layers' says 4"},
          {"NemotronHForCausalLM", "\"hybrid_override_pattern\": [\"M\"]",
           "3:28 error: 'hybrid_override_pattern': expected a text, one letter a layer\n"},
          {"NemotronHForCausalLM", "\"hybrid_override_pattern\": \"M?M\"",
           "3:28 error: 'hybrid_override_pattern': unknown kind of layer '?'; known: M (mamba), * (attention), - "
           "(mlp), E (moe)\n"},
          {"NemotronHForCausalLM", "\"layers_block_type\": \"M\"",
           "3:22 error: 'layers_block_type': expected a list of layers\n"},
          {"DeciLMForCausalLM", "\"block_configs\": {}", "3:18 error: 'block_configs': expected a list of blocks\n"},
          {"DeciLMForCausalLM", "\"block_configs\": [{}]",
           "3:18 error: 'block_configs': lists 1 layers, and 'num_hidden_layers' says 4"},
          {"DeciLMForCausalLM",
           "\"block_configs\": [{}, {}, {}, {\"attention\": {\"n_heads_in_group\": 3}, \"ffn\": {\"ffn_mult\": true}}]",
           "3:66 error: 8 heads are not a multiple of 3 in a group\n3:90 error: expected a number above 0, got "
           "'true'\n"},
      }) {
    const HfTree tree(config(c.architecture, c.keys));
    const std::string told = c.told;
    CHECK(tree.told() == (told.ends_with('\n') ? told : told + kLayers));
    CHECK(tree.model.broken);
  }
}

TEST_CASE("the number of listed layers is said, and not beyond reason") {
  for (const auto& [layers, told] : {std::pair{"null", "'num_hidden_layers': missing: how many layers the model has"},
                                     {"0", "expected a whole number of at least 1, got '0'"},
                                     {"\"x\"", "expected a whole number, got 'x'"},
                                     {"1000000000000", "expected at most 100000 layers, got 1000000000000"}}) {
    const HfTree tree(config("Qwen3NextForCausalLM", "\"full_attention_interval\": 2", layers));
    CHECK_MESSAGE(tree.told().find(told) != std::string::npos, tree.told());
    CHECK(std::ranges::count(tree.told(), '\n') == 1);
  }
}

TEST_CASE("keys of layers, attention and experts that nobody reads are told, inside maps as well") {
  struct Unread {
    const char *architecture, *keys, *name;
  };
  for (const Unread& c : {
           Unread{"MiniMaxM3ForCausalLM", "\"num_experts_in_even_layers\": 2", "num_experts_in_even_layers"},
           {"MiniMaxM3ForCausalLM", "\"attention_every\": 2", "attention_every"},
           {"Gemma4ForConditionalGeneration", "\"num_kv_shared_layers\": 10", "num_kv_shared_layers"},
           {"Gemma4ForConditionalGeneration", "\"use_double_wide_mlp\": true", "use_double_wide_mlp"},
           {"KimiLinearForCausalLM", R"("linear_attn_config": {"kda_layers": [1], "num_kv_heads": 2})",
            "linear_attn_config.num_kv_heads"},
           {"MiniMaxM3ForCausalLM",
            R"("sparse_attention_config": {"sparse_attention_freq": [1, 1, 1, 1], "sparse_heads": 2})",
            "sparse_attention_config.sparse_heads"},
           {"DeciLMForCausalLM",
            R"("block_configs": [{}, {}, {}, {"attention": {"replace_with_linear": true, "no_op": false}}])",
            "block_configs.attention.replace_with_linear"},
           {"DeciLMForCausalLM", R"("block_configs": [{}, {}, {}, {"ffn": {"replace_with_linear": true}}])",
            "block_configs.ffn.replace_with_linear"},
       }) {
    const HfTree tree(text_of({c.architecture, c.keys, "", ""}));
    CHECK_MESSAGE(tree.told().find(std::string("warning: '") + c.name +
                                   "' has no counterpart in a plan and is left out") != std::string::npos,
                  c.name, tree.told());
    CHECK(!tree.model.broken);
  }
}
