#include "planner/import/hf_families.h"
#include "planner/import/hf_keys.h"
#include "planner/import/hf_more.h"

namespace planner::hf {
namespace {

constexpr const char* kTie = "tie_word_embeddings";
constexpr const char* kTiedField = "tied_embeddings";

constexpr Key kBloomShape[] = {{"n_layer|num_hidden_layers", "layers", kNeeded},
                               {"hidden_size|n_embed", "hidden", kNeeded},
                               {"n_head|num_attention_heads", "heads", kNeeded},
                               {"n_inner", "ffn"},
                               {"vocab_size", "vocab", kNeeded}};
constexpr Key kBloom[] = {{kTie, kTiedField, "true"}, {"hidden_dropout", "dropout", "0"}};
constexpr Key kFalconShape[] = {{"num_hidden_layers|n_layer", "layers", kNeeded},
                                {"hidden_size|n_embed", "hidden", kNeeded},
                                {"num_attention_heads|n_head", "heads", kNeeded},
                                {"ffn_hidden_size", "ffn"},
                                {"vocab_size", "vocab", kNeeded},
                                {"activation", "activation", "gelu", Kind::activation}};
constexpr Key kFalcon[] = {{kTie, kTiedField, "true"},
                           {"bias", "bias", "false"},
                           {"parallel_attn", "parallel_block", "true"},
                           {"hidden_dropout", "dropout", "0"}};
constexpr Key kMptShape[] = {{"n_layers|num_hidden_layers", "layers", kNeeded},
                             {"d_model|hidden_size", "hidden", kNeeded},
                             {"n_heads|num_attention_heads", "heads", kNeeded},
                             {"expansion_ratio", "ffn", nullptr, Kind::of_hidden},
                             {"vocab_size", "vocab", kNeeded}};
constexpr Key kMpt[] = {
    {kTie, kTiedField, "true"}, {"no_bias", "bias", "false", Kind::negated}, {"resid_pdrop", "dropout", "0"}};
constexpr Key kOptShape[] = {{"num_hidden_layers", "layers", kNeeded},
                             {"hidden_size", "hidden", kNeeded},
                             {"ffn_dim", "ffn", kNeeded},
                             {"num_attention_heads", "heads", kNeeded},
                             {"vocab_size", "vocab", kNeeded},
                             {"max_position_embeddings", "positions", kNeeded},
                             {"activation_function", "activation", "relu", Kind::activation}};
constexpr Key kOpt[] = {{kTie, kTiedField, "true"}, {"enable_bias", "bias", "true"}, {"dropout", "dropout", "0.1"}};
constexpr Key kGptJShape[] = {{"n_layer|num_hidden_layers", "layers", kNeeded},
                              {"n_embd|hidden_size", "hidden", kNeeded},
                              {"n_head|num_attention_heads", "heads", kNeeded},
                              {"n_inner", "ffn"},
                              {"vocab_size", "vocab", kNeeded},
                              {"activation_function", "activation", "gelu", Kind::activation}};
constexpr Key kGptJ[] = {{kTie, kTiedField, "false"}, {"resid_pdrop", "dropout", "0"}};
constexpr Key kExaoneShape[] = {{"num_layers|num_hidden_layers", "layers", kNeeded},
                                {"hidden_size", "hidden", kNeeded},
                                {"intermediate_size", "ffn", kNeeded},
                                {"num_attention_heads", "heads", kNeeded},
                                {"num_key_value_heads", "kv_heads"},
                                {"head_dim", "head_dim"},
                                {"vocab_size", "vocab", kNeeded},
                                {"activation_function", "activation", "silu", Kind::activation}};
constexpr Key kLongCatShape[] = {
    {"num_layers", "layers", kNeeded},   {"hidden_size", "hidden", kNeeded},
    {"ffn_hidden_size", "ffn", kNeeded}, {"num_attention_heads", "heads", kNeeded},
    {"vocab_size", "vocab", kNeeded},    {"hidden_act", "activation", "silu", Kind::activation}};
constexpr Key kLongCatExperts[] = {{"n_routed_experts", "experts.count", kNeeded},
                                   {"expert_ffn_hidden_size", "experts.ffn", kNeeded}};

constexpr Fact kBloomStyle[] = {{"embedding_norm", "true"}};
constexpr Fact kRotary[] = {{"rotary", "true"}};
constexpr Fact kParallel[] = {{"parallel_block", "true"}};

// Falcon's norms and the projections of GPT-J's attention have biases, or none, unlike their other layers: less than
// 0.1 % of the parameters.
constexpr Architecture kRows[] = {
    {"BloomForCausalLM", "bloom", "bloom", kBloomShape, kBloom, kBloomStyle, {}},
    {"FalconForCausalLM", "falcon", "falcon", kFalconShape, kFalcon, kRotary, {}, falcon_heads},
    {"MptForCausalLM", "mpt", "mpt", kMptShape, kMpt, {}, {}, mpt_attention},
    {"MPTForCausalLM", "", "mpt", kMptShape, kMpt, {}, {}, mpt_attention},
    {"OPTForCausalLM", "opt", "opt", kOptShape, kOpt, {}, {}, opt_embedding},
    {"GPTJForCausalLM", "gptj", "gpt-j", kGptJShape, kGptJ, kRotary, kParallel},
    {"ExaoneForCausalLM", "exaone", "exaone3", kExaoneShape, kUntied, kLlamaStyle, {}},
    {"LongcatFlashForCausalLM",
     "longcat_flash",
     "longcat-flash",
     kLongCatShape,
     kLatent,
     kLlamaStyle,
     {},
     shortcut_layers,
     "",
     kLongCatExperts},
};

}  // namespace

std::span<const Architecture> named_families() { return kRows; }

}  // namespace planner::hf
