#include "planner/scenario/model.h"

#include <algorithm>
#include <numeric>

namespace planner {
namespace {

/// Matrices of attention: Q, K, V and the output.
double attention_weights(const Model& m) {
  const double hidden = m.hidden, heads = m.heads, key = m.head_dim;
  if (m.latent.rank == 0) return hidden * key * (heads + 2.0 * m.kv_heads) + heads * key * hidden;
  const Latent& l = m.latent;
  const double query = heads * (key + l.rotary_dim);
  const double queries = l.query_rank > 0 ? (hidden + query) * l.query_rank : hidden * query;
  const double keys = hidden * (l.rank + l.rotary_dim) + l.rank * heads * (key + l.value_dim);
  return queries + keys + heads * l.value_dim * hidden;
}

double mlp_weights(const Model& m, double ffn) { return (m.gated_mlp ? 3.0 : 2.0) * m.hidden * ffn; }

/// Router, shared experts and `experts` routed ones.
double mixture_weights(const Model& m, double experts) {
  const Experts& e = m.experts;
  return static_cast<double>(m.hidden) * e.count + mlp_weights(m, e.shared_ffn) + (e.shared_gate ? m.hidden : 0) +
         experts * mlp_weights(m, e.ffn);
}

/// Weights of the layer's matrices, with so many routed experts.
double matrix_weights(const Model& m, const LayerKind& kind, double experts) {
  return attention_weights(m) + (kind.experts ? mixture_weights(m, experts) : mlp_weights(m, m.ffn));
}

double mlp_biases(const Model& m, double ffn) { return m.hidden + (m.gated_mlp ? 2.0 : 1.0) * ffn; }

/// Q, K, V where there are any; the rest (attention output, MLP or experts with their router) with `bias` only.
double biases(const Model& m, const LayerKind& kind, double experts) {
  const double heads = static_cast<double>(m.heads) + 2.0 * m.kv_heads;
  const double qkv = m.bias || m.qkv_bias ? heads * m.head_dim : 0;
  if (!m.bias) return qkv;
  if (!kind.experts) return qkv + m.hidden + mlp_biases(m, m.ffn);
  const double shared = m.experts.shared_ffn > 0 ? mlp_biases(m, m.experts.shared_ffn) : 0;
  return qkv + m.hidden + m.experts.count + shared + experts * mlp_biases(m, m.experts.ffn);
}

/// Scale, and with biases a shift; an RMS norm never shifts.
double norm_weights(const Model& m) {
  return static_cast<double>(m.hidden) * (m.bias && m.norm == Norm::layernorm ? 2 : 1);
}

/// Norms of the layer, of its latents and of its heads; sinks.
double small_weights(const Model& m) {
  const double norms = (m.parallel_block ? 1 : 2) * (m.post_norm ? 2 : 1);
  return norms * norm_weights(m) + (m.latent.rank > 0 ? m.latent.rank + m.latent.query_rank : 0) +
         (m.qk_norm ? 2 * m.head_dim : 0) + (m.sinks ? m.heads : 0);
}

double layer_weights(const Model& m, const LayerKind& kind, double experts) {
  return matrix_weights(m, kind, experts) + biases(m, kind, experts) + small_weights(m);
}

double embedding_parameters(const Model& m) {
  double rows = static_cast<double>(m.vocab) + m.positions + m.token_types;
  return rows * m.hidden + (m.embedding_norm ? norm_weights(m) : 0);
}

/// Language model: final norm and, untied, the output matrix.
/// BERT: pooler, next-sentence classifier, transform with its norm, and the decoder's bias.
double head_parameters(const Model& m) {
  double hidden = m.hidden;
  double output = m.tied_embeddings ? 0 : hidden * m.vocab;
  if (m.head == Head::lm) return norm_weights(m) + output;
  double dense = hidden * hidden + hidden;
  double next_sentence = 2 * hidden + 2;
  return dense + next_sentence + dense + norm_weights(m) + output + m.vocab;
}

double sum_over_layers(const Model& m, double (*of)(const Model&, const LayerKind&, double), double experts) {
  double sum = 0;
  for (int64_t i = 0; i < m.layers; ++i) sum += of(m, layer_kind(m, i), experts);
  return sum;
}

/// Keys that a token meets on average.
double keys_per_token(const Model& m, bool windowed, double sequence, bool halve_causal) {
  const double window = windowed ? std::min<double>(m.window.size, sequence) : sequence;
  if (!m.causal) return windowed ? std::min(2 * window, sequence) : sequence;
  // The first `window` tokens look back to the start, the others over the whole window.
  if (windowed && window < sequence) return window - window * window / (2 * sequence);
  return halve_causal ? sequence / 2 : sequence;
}

/// Scores and weighted values of one token in one layer: 2 per multiply-add.
double attention_flops(const Model& m, double keys) {
  const bool latent = m.latent.rank > 0;
  const double score = static_cast<double>(m.head_dim) + (latent ? m.latent.rotary_dim : 0);
  const double value = static_cast<double>(latent ? m.latent.value_dim : m.head_dim);
  return 2 * static_cast<double>(m.heads) * (score + value) * keys;
}

double layer_flops(const Model& m, const LayerKind& kind, double sequence, bool halve_causal) {
  return 2 * matrix_weights(m, kind, m.experts.top_k) +
         attention_flops(m, keys_per_token(m, kind.windowed, sequence, halve_causal));
}

double head_flops(const Model& m, double tokens, double sequence) {
  double hidden = m.hidden, head = 2 * hidden * m.vocab * m.predicted * tokens;
  if (m.head == Head::lm) return head;
  double transform = 2 * hidden * hidden * m.predicted * tokens;
  double first_token = 2 * (hidden * hidden + 2 * hidden) * (tokens / sequence);  // pooler, next sentence
  return head + transform + first_token;
}

}  // namespace

LayerKind layer_kind(const Model& m, int64_t index) {
  const Experts& e = m.experts;
  const int64_t behind = index - e.first_dense;
  return {.experts = e.count > 0 && behind >= 0 && (behind + 1) % e.every == 0,
          .windowed = m.window.size > 0 && (m.window.global_every == 0 || (index + 1) % m.window.global_every != 0)};
}

std::vector<LayerKind> layer_kinds(const Model& m) {
  std::vector<LayerKind> kinds;
  // Behind the first dense layers the kinds come again in turns.
  const int64_t every = std::max<int64_t>(1, m.experts.every), global = std::max<int64_t>(1, m.window.global_every);
  const bool turns = every < m.layers && global < m.layers && m.experts.first_dense < m.layers;
  const int64_t last = turns ? std::min(m.layers, m.experts.first_dense + std::lcm(every, global)) : m.layers;
  for (int64_t i = 0; i < last; ++i) {
    const LayerKind kind = layer_kind(m, i);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

double layer_parameters(const Model& m, const LayerKind& kind) {
  if (!m.operators.empty()) return fixed_parameters(m.operators);
  return layer_weights(m, kind, m.experts.count);
}

double parameters(const Model& m) {
  if (!m.operators.empty()) return fixed_parameters(m.operators);
  return embedding_parameters(m) + sum_over_layers(m, layer_weights, m.experts.count) + head_parameters(m);
}

double active_parameters(const Model& m) {
  if (!m.operators.empty()) return fixed_parameters(m.operators) - fixed_tables(m.operators);
  const double lookup = m.tied_embeddings ? 0 : embedding_parameters(m);
  return parameters(m) - lookup - sum_over_layers(m, layer_weights, m.experts.count) +
         sum_over_layers(m, layer_weights, m.experts.top_k);
}

double forward_flops(const Model& m, double tokens, double sequence, bool halve_causal) {
  if (!m.operators.empty()) return fixed_flops(m.operators) * tokens / sequence;
  double layers = 0;
  for (int64_t i = 0; i < m.layers; ++i) layers += layer_flops(m, layer_kind(m, i), sequence, halve_causal);
  // A prediction layer joins two streams, runs a layer of the last kind, and the head again.
  const double hidden = m.hidden, depth = m.mtp;
  layers += depth * (4 * hidden * hidden + layer_flops(m, layer_kind(m, m.layers - 1), sequence, halve_causal));
  return layers * tokens + (1 + depth) * head_flops(m, tokens, sequence);
}

}  // namespace planner
