// The architecture of a Transformer, and what follows from it alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "dsl/fields.h"

namespace planner {

enum class Activation { gelu, relu, squared_relu, silu };
inline constexpr std::array kActivationNames{"gelu", "relu", "squared-relu", "silu"};
inline std::span<const char* const> words(Activation) { return kActivationNames; }

enum class Norm { layernorm, rmsnorm };
inline constexpr std::array kNormNames{"layernorm", "rmsnorm"};
inline std::span<const char* const> words(Norm) { return kNormNames; }

/// What stands after the last layer: a language-model head, or BERT's masked-LM head with pooler.
enum class Head { lm, mlm };
inline constexpr std::array kHeadNames{"lm", "mlm"};
inline std::span<const char* const> words(Head) { return kHeadNames; }

struct Model {
  std::string name;
  int64_t layers = 0, hidden = 0, ffn = 0;
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  int64_t vocab = 0;             // as trained, padding included
  int64_t positions = 0;         // learned position embeddings; 0: rotary, ALiBi or none
  int64_t token_types = 0;       // BERT's segment embeddings
  bool gated_mlp = false;        // three matrices
  bool tied_embeddings = false;  // the head reuses the embedding
  bool causal = true;
  bool rotary = false;
  bool bias = true;             // linear layers and norms have biases
  bool qkv_bias = false;        // biases on Q, K, V only (Qwen2, InternLM); implied by `bias`
  bool embedding_norm = false;  // a norm after the embedding (BLOOM, BERT)
  bool parallel_block = false;  // attention and MLP side by side (PaLM)
  Activation activation = Activation::gelu;
  Norm norm = Norm::layernorm;
  Head head = Head::lm;
  double dropout = 0;
  double predicted = 1;  // share of positions that reach the head (masked-LM: about 0.15)
};

template <class V> void fields(V& v, Model& m) {
  v("name", m.name, {.otherwise = "", .doc = "catalogue name"});
  v("layers", m.layers, {.least = 1, .most = 100000, .doc = "Transformer layers"});
  v("hidden", m.hidden, {.least = 1, .most = 10000000, .doc = "width of the residual stream"});
  v("ffn", m.ffn, {.otherwise = "4 * model.hidden", .least = 1, .doc = "inner width of the MLP"});
  v("heads", m.heads, {.least = 1, .doc = "attention heads"});
  v("kv_heads", m.kv_heads, {.otherwise = "model.heads", .least = 1, .doc = "key and value heads (GQA, MQA)"});
  v("head_dim", m.head_dim, {.otherwise = "model.hidden / model.heads", .least = 1, .doc = "width of a head"});
  v("vocab", m.vocab, {.least = 1, .doc = "vocabulary as trained, padding included"});
  v("positions", m.positions, {.otherwise = "0", .least = 0, .doc = "learned position embeddings"});
  v("token_types", m.token_types, {.otherwise = "0", .least = 0, .doc = "segment embeddings"});
  v("gated_mlp", m.gated_mlp, {.otherwise = "false", .doc = "gate, up and down matrices"});
  v("tied_embeddings", m.tied_embeddings, {.otherwise = "false", .doc = "the head reuses the embedding"});
  v("causal", m.causal, {.otherwise = "true", .doc = "attention looks back only"});
  v("rotary", m.rotary, {.otherwise = "false", .doc = "rotary position embedding"});
  v("bias", m.bias, {.otherwise = "true", .doc = "biases on linear layers and norms"});
  v("qkv_bias", m.qkv_bias, {.otherwise = "false", .doc = "biases on Q, K and V only"});
  v("embedding_norm", m.embedding_norm, {.otherwise = "false", .doc = "a norm after the embedding"});
  v("parallel_block", m.parallel_block, {.otherwise = "false", .doc = "attention and MLP side by side"});
  v("activation", m.activation, {.otherwise = "gelu", .doc = "of the MLP"});
  v("norm", m.norm, {.otherwise = "layernorm", .doc = "normalisation"});
  v("head", m.head, {.otherwise = "lm", .doc = "what stands after the last layer"});
  v("dropout", m.dropout, {.otherwise = "0", .least = 0, .most = 1, .doc = "probability; 0: no dropout kernels"});
  v("predicted", m.predicted,
    {.otherwise = "1", .least = 0, .most = 1, .doc = "share of positions that reach the head"});
}

/// Parameters of the whole model (untied head, biases, norms and position embeddings included).
double parameters(const Model& m);
/// Parameters of one layer.
double layer_parameters(const Model& m);

/// FLOPs of one forward pass over `tokens` tokens in sequences of `sequence`, per the counting rules of
/// docs/models.md: 2 per multiply-add of every matrix, attention halved for causal models if `halve_causal`.
double forward_flops(const Model& m, double tokens, double sequence, bool halve_causal);

}  // namespace planner
