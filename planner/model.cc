#include "planner/model.h"

namespace planner {
namespace {

/// Weights of the layer's matrices: Q, K, V, attention output, and two or three of the MLP.
double layer_matrix_weights(const Model& m) {
  double hidden = m.hidden;
  double query = static_cast<double>(m.heads) * m.head_dim;
  double key_value = static_cast<double>(m.kv_heads) * m.head_dim;
  double mlp_matrices = m.gated_mlp ? 3 : 2;
  return hidden * (query + 2 * key_value) + query * hidden + mlp_matrices * hidden * m.ffn;
}

/// Q, K, V always where there are any; the rest (attention output, MLP) with `bias` only.
double layer_biases(const Model& m) {
  double query = static_cast<double>(m.heads) * m.head_dim;
  double key_value = static_cast<double>(m.kv_heads) * m.head_dim;
  double qkv = m.bias || m.qkv_bias ? query + 2 * key_value : 0;
  double rest = m.bias ? m.hidden + (m.gated_mlp ? 2.0 : 1.0) * m.ffn + m.hidden : 0;
  return qkv + rest;
}

/// Scale, and with biases a shift; an RMS norm never shifts.
double norm_weights(const Model& m) {
  return static_cast<double>(m.hidden) * (m.bias && m.norm == Norm::layernorm ? 2 : 1);
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

}  // namespace

double layer_parameters(const Model& m) {
  double norms = (m.parallel_block ? 1 : 2) * norm_weights(m);
  return layer_matrix_weights(m) + layer_biases(m) + norms;
}

double parameters(const Model& m) {
  return embedding_parameters(m) + m.layers * layer_parameters(m) + head_parameters(m);
}

double forward_flops(const Model& m, double tokens, double sequence, bool halve_causal) {
  double hidden = m.hidden;
  // Scores and weighted values: 2 * 2 * sequence * (heads * head_dim) per token.
  double attention = 4 * sequence * static_cast<double>(m.heads) * m.head_dim;
  if (m.causal && halve_causal) attention /= 2;
  double layers = m.layers * (2 * layer_matrix_weights(m) + attention) * tokens;
  double head = 2 * hidden * m.vocab * m.predicted * tokens;
  if (m.head == Head::mlm) {
    double transform = 2 * hidden * hidden * m.predicted * tokens;
    double first_token = 2 * (hidden * hidden + 2 * hidden) * (tokens / sequence);  // pooler, next sentence
    head += transform + first_token;
  }
  return layers + head;
}

}  // namespace planner
