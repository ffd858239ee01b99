// The architecture of a model, and values derived from it alone: a Transformer, or a fixed list of operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "planner/scenario/fixed.h"
#include "planner/scenario/layer_row.h"

namespace planner {

enum class Activation { gelu, relu, squared_relu, silu };

enum class Norm { layernorm, rmsnorm };

/// The part after the last layer: a language-model head, or BERT's masked-LM head with pooler.
enum class Head { lm, mlm };

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): keys and values come from one narrow
/// latent per token. `head_dim` is then the width of a query and key head without its rotary part.
struct Latent {
  int64_t rank = 0;         // of keys and values; 0: ordinary attention
  int64_t query_rank = 0;   // 0: queries come straight from the input
  int64_t rotary_dim = 64;  // rotary part of a head, one shared key for all of them
  int64_t value_dim = 0;    // width of a value head
};

/// Mixture of experts in place of the MLP.
struct Experts {
  int64_t count = 0;                         // routed experts; 0: a dense model
  int64_t top_k = 1;                         // of them for each token
  int64_t ffn = 0;                           // inner width of one
  int64_t shared = 0;                        // experts that see every token
  int64_t shared_ffn = 0;                    // inner width of all shared ones together
  int64_t first_dense = 0, every = 1;        // layers before the first; from there, each `every`-th layer has experts
  int64_t groups = 1, groups_per_token = 1;  // node-limited routing: a token's experts lie in this many groups
  bool shared_gate = false;                  // the shared expert's output has a gate (Qwen2-MoE)
};

/// Attention that looks back over a window, in all layers or in all but every n-th.
struct Window {
  int64_t size = 0;          // tokens; 0: none
  int64_t global_every = 0;  // each n-th layer sees the whole sequence; 0: none does
};

struct Model {
  std::string name;
  std::string family;  // published lineage, the same for all sizes: llama3, deepseek-v3
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
  double clamp = 0;  // the inputs of the activation are held within +- it (GPT-OSS swiglu_limit); 0: they are not
  Norm norm = Norm::layernorm;
  Head head = Head::lm;
  double dropout = 0;
  bool qk_norm = false;    // norms of each query and key head (Qwen3)
  bool post_norm = false;  // a norm behind attention and MLP as well (Gemma 2)
  bool sinks = false;      // a learned logit per head that softmax may attend to (GPT-OSS)
  double towers = 0;       // parameters of vision and audio towers, which no plan has
  int64_t mtp = 0;         // multi-token prediction: extra layers that predict further tokens (DeepSeek-V3)
  Latent latent;
  Experts experts;
  Window window;
  std::string pattern;                   // letters of `kinds`, one a layer; empty: layers are of one build
  std::string mtp_pattern;               // letters of one prediction layer; empty: the last layer
  std::vector<LayerRow> kinds;           // of layers, where they differ
  double predicted = 1;                  // share of positions that reach the head (masked-LM: about 0.15)
  int64_t image = 0;                     // pixels of a side, of a list whose rows count them
  std::vector<FixedOperator> operators;  // no Transformer: these, in order, and nothing of the above
};

template <class V> void fields(V& v, Latent& l) {
  v("rank", l.rank, {.least = 0, .doc = "latent width of keys and values; 0: ordinary attention"});
  v("query_rank", l.query_rank, {.least = 0, .doc = "latent width of queries; 0: none"});
  v("rotary_dim", l.rotary_dim, {.least = 0, .doc = "rotary part of a head"});
  v("value_dim", l.value_dim, {.otherwise = "model.head_dim", .least = 1, .doc = "width of a value head"});
}
template <class V> void fields(V& v, Experts& e) {
  v("count", e.count, {.least = 0, .doc = "routed experts of a layer; 0: dense"});
  v("top_k", e.top_k, {.least = 1, .doc = "routed experts of a token"});
  v("ffn", e.ffn, {.otherwise = "model.ffn", .least = 1, .doc = "inner width of one expert"});
  v("shared", e.shared, {.least = 0, .doc = "experts that see every token"});
  v("shared_ffn", e.shared_ffn,
    {.otherwise = "model.experts.shared * model.experts.ffn", .least = 0, .doc = "inner width of all shared ones"});
  v("first_dense", e.first_dense, {.least = 0, .doc = "dense layers before the first with experts"});
  v("every", e.every, {.least = 1, .doc = "each n-th layer behind those has experts"});
  v("groups", e.groups, {.least = 1, .doc = "groups of experts, for node-limited routing"});
  v("groups_per_token", e.groups_per_token,
    {.otherwise = "model.experts.groups", .least = 1, .doc = "groups among which a token's experts lie"});
  v("shared_gate", e.shared_gate, {.doc = "the shared expert's output has a gate"});
}
template <class V> void fields(V& v, Window& w) {
  v("size", w.size, {.least = 0, .doc = "tokens that attention looks back; 0: all"});
  v("global_every", w.global_every, {.least = 0, .doc = "each n-th layer looks back to the start"});
}
template <class V> void fields(V& v, Model& m) {
  v("name", m.name, {.doc = "catalogue name", .descriptive = true});
  v("family", m.family, {.doc = "published lineage, the same for all sizes: llama3, deepseek-v3", .descriptive = true});
  v("layers", m.layers,
    {.otherwise = "1", .least = 1, .most = kMostLayers, .doc = "Transformer layers", .unless = "operators"});
  v("hidden", m.hidden,
    {.otherwise = "1", .least = 1, .most = 10000000, .doc = "width of the residual stream", .unless = "operators"});
  v("ffn", m.ffn, {.otherwise = "4 * model.hidden", .least = 1, .doc = "inner width of the MLP"});
  v("heads", m.heads, {.otherwise = "1", .least = 1, .doc = "attention heads", .unless = "operators"});
  v("kv_heads", m.kv_heads, {.otherwise = "model.heads", .least = 1, .doc = "key and value heads (GQA, MQA)"});
  v("head_dim", m.head_dim, {.otherwise = "model.hidden / model.heads", .least = 1, .doc = "width of a head"});
  v("vocab", m.vocab,
    {.otherwise = "1", .least = 1, .doc = "vocabulary as trained, padding included", .unless = "operators"});
  v("positions", m.positions, {.least = 0, .doc = "learned position embeddings"});
  v("token_types", m.token_types, {.least = 0, .doc = "segment embeddings"});
  v("gated_mlp", m.gated_mlp, {.doc = "gate, up and down matrices"});
  v("tied_embeddings", m.tied_embeddings, {.doc = "the head reuses the embedding"});
  v("causal", m.causal, {.doc = "attention looks back only"});
  v("rotary", m.rotary, {.doc = "rotary position embedding"});
  v("bias", m.bias, {.doc = "biases on linear layers and norms"});
  v("qkv_bias", m.qkv_bias, {.doc = "biases on Q, K and V only"});
  v("embedding_norm", m.embedding_norm, {.doc = "a norm after the embedding"});
  v("parallel_block", m.parallel_block, {.doc = "attention and MLP side by side"});
  v("activation", m.activation, {.doc = "of the MLP"});
  v("clamp", m.clamp, {.least = 0, .most = 1e6, .doc = "bound of the activation's inputs; 0: none"});
  v("norm", m.norm, {.doc = "normalisation"});
  v("head", m.head, {.doc = "what stands after the last layer"});
  v("dropout", m.dropout, {.least = 0, .most = 1, .doc = "probability; 0: no dropout kernels"});
  v("qk_norm", m.qk_norm, {.doc = "norms of each query and key head"});
  v("post_norm", m.post_norm, {.doc = "a norm behind attention and MLP as well"});
  v("sinks", m.sinks, {.doc = "a learned attention logit per head"});
  v("towers", m.towers, {.least = 0, .doc = "parameters of vision and audio towers, not planned", .descriptive = true});
  v("mtp", m.mtp, {.least = 0, .most = 64, .doc = "multi-token prediction layers"});
  v.section("latent", m.latent);
  v.section("experts", m.experts);
  v.section("window", m.window);
  v("predicted", m.predicted, {.least = 0, .most = 1, .doc = "share of positions that reach the head"});
  v("pattern", m.pattern, {.doc = "letters of model.kinds, one for each layer: (MEM*E)x4"});
  v("mtp_pattern", m.mtp_pattern,
    {.doc = "letters of model.kinds in a prediction layer: *E; empty: the model's last layer"});
  v.list("kinds", m.kinds);
  v("image", m.image,
    {.least = 0,
     .most = 100000,
     .doc = "pixels of an image's side, which rows of operators count",
     .descriptive = true});
  v.list("operators", m.operators);
}

/// The differences between the layers of a model.
struct LayerKind {
  bool experts = false;   // mixture of experts instead of the MLP
  bool windowed = false;  // attention over the window only
  int row = -1;           // of Model::kinds; -1: the model has no pattern
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};
/// The kinds of all layers, in order. A pattern of another length than the model's layers comes again, or ends early.
std::vector<LayerKind> layers_of(const Model& m);
/// Every kind that the model has, in order of first appearance; never empty.
std::vector<LayerKind> layer_kinds(const Model& m);
/// Biases of the weights that pool tokens into compressed keys, one for each place of a token in its key's group
/// (DeepSeek-V4, inference/model.py, Compressor.ape); those of the indexer's keys too.
double pooling_biases(const Model& m, const LayerRow& row);
/// Sums of earlier parts that a part of this kind attends to, the mean over the model's depth: the embedding, the full
/// sums, and the one that is being made (Attention Residuals, arXiv:2603.15031, section 3.2); 0: it attends to none.
double attended_sums(const Model& m, const LayerRow& row);

/// The kinds of the layers that one prediction layer is made of; never empty.
std::vector<LayerKind> prediction_kinds(const Model& m);

/// The kind's row, if it has more than a name; null: it has none.
const LayerRow* layer_row(const Model& m, const LayerKind& kind);
/// The model as a layer of this kind sees it: with the heads and widths of its row.
Model layer_model(const Model& m, const LayerKind& kind);

/// Parameters of the whole model (untied head, biases, norms, position embeddings and towers included; without the
/// multi-token prediction layers, as published counts have it).
double parameters(const Model& m);
/// Parameters that one token is multiplied with: without the experts it is not routed to, and without the embedding
/// (a lookup) unless the head shares it.
double active_parameters(const Model& m);
/// Parameters of one layer.
double layer_parameters(const Model& m, const LayerKind& kind = {});

/// FLOPs of one forward pass over `tokens` tokens in sequences of `sequence`, per the counting rules of
/// docs/models.md: 2 per multiply-add of every matrix a token meets, attention halved for causal models if
/// `halve_causal` (a window counts as it is), multi-token prediction layers included.
double forward_flops(const Model& m, double tokens, double sequence, bool halve_causal);

}  // namespace planner
