#include "planner/import/hf_keys.h"
#include "planner/import/hf_more.h"
#include "planner/import/hf_table.h"

namespace planner::hf {
namespace {

constexpr ConfigKey kBloomShape[] = {{"n_layer|num_hidden_layers", "layers", kNeeded},
                                     {"hidden_size|n_embed", "hidden", kNeeded},
                                     {"n_head|num_attention_heads", "heads", kNeeded},
                                     {"n_inner", "ffn"},
                                     {"vocab_size", "vocab", kNeeded}};
constexpr ConfigKey kBloom[] = {{"hidden_dropout", "dropout", "0"}};
constexpr ConfigKey kFalconShape[] = {{"num_hidden_layers|n_layer", "layers", kNeeded},
                                      {"hidden_size|n_embed", "hidden", kNeeded},
                                      {"num_attention_heads|n_head", "heads", kNeeded},
                                      {"ffn_hidden_size", "ffn"},
                                      {"vocab_size", "vocab", kNeeded},
                                      {"activation", "activation", "gelu", KeyMeaning::activation}};
constexpr ConfigKey kFalcon[] = {
    {"bias", "bias", "false"}, {"parallel_attn", "parallel_block", "true"}, {"hidden_dropout", "dropout", "0"}};
constexpr ConfigKey kMptShape[] = {{"n_layers|num_hidden_layers", "layers", kNeeded},
                                   {"d_model|hidden_size", "hidden", kNeeded},
                                   {"n_heads|num_attention_heads", "heads", kNeeded},
                                   {"expansion_ratio", "ffn", nullptr, KeyMeaning::of_hidden},
                                   {"vocab_size", "vocab", kNeeded}};
constexpr ConfigKey kMpt[] = {{"no_bias", "bias", "false", KeyMeaning::negated}, {"resid_pdrop", "dropout", "0"}};
constexpr ConfigKey kOptShape[] = {{"num_hidden_layers", "layers", kNeeded},
                                   {"hidden_size", "hidden", kNeeded},
                                   {"ffn_dim", "ffn", kNeeded},
                                   {"num_attention_heads", "heads", kNeeded},
                                   {"vocab_size", "vocab", kNeeded},
                                   {"max_position_embeddings", "positions", kNeeded},
                                   {"activation_function", "activation", "relu", KeyMeaning::activation}};
constexpr ConfigKey kOpt[] = {{"enable_bias", "bias", "true"}, {"dropout", "dropout", "0.1"}};
constexpr ConfigKey kGptJShape[] = {{"n_layer|num_hidden_layers", "layers", kNeeded},
                                    {"n_embd|hidden_size", "hidden", kNeeded},
                                    {"n_head|num_attention_heads", "heads", kNeeded},
                                    {"n_inner", "ffn"},
                                    {"vocab_size", "vocab", kNeeded},
                                    {"activation_function", "activation", "gelu", KeyMeaning::activation}};
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

constexpr ModelFact kBloomStyle[] = {{"embedding_norm", "true"}};

// Falcon's norms and the projections of GPT-J's attention have biases, or none, unlike their other layers: less than
// 0.1 % of the parameters.
constexpr Architecture kRows[] = {
    tied({"BloomForCausalLM", "bloom", "bloom", kBloomShape, kBloom, kBloomStyle}),
    tied({"FalconForCausalLM", "falcon", "falcon", kFalconShape, kFalcon, kRotary, {}, falcon_heads}),
    tied({"MptForCausalLM", "mpt", "mpt", kMptShape, kMpt, {}, {}, mpt_attention}),
    tied({"MPTForCausalLM", "", "mpt", kMptShape, kMpt, {}, {}, mpt_attention}),
    tied({"OPTForCausalLM", "opt", "opt", kOptShape, kOpt, {}, {}, opt_embedding}),
    {"GPTJForCausalLM", "gptj", "gpt-j", kGptJShape, kGptJ, kRotary, kParallel},
    {"ExaoneForCausalLM", "exaone", "exaone3", kExaoneShape, {}, kLlamaStyle},
    latent("LongcatFlashForCausalLM", "longcat_flash", "longcat-flash", kLongCatShape, shortcut_layers,
           kLongCatExperts),
};

}  // namespace

std::span<const Architecture> named_families() { return kRows; }

}  // namespace planner::hf
