#include "planner/scenario/model.h"

#include <algorithm>
#include <numeric>

namespace planner {
namespace {

/// Matrices of latent attention (DeepSeek-V2, arXiv:2405.04434, equations 9 to 19).
double latent_weights(const Model& m) {
  const double hidden = m.hidden, heads = m.heads, key = m.head_dim;
  const Latent& l = m.latent;
  const double query = heads * (key + l.rotary_dim);
  const double queries = l.query_rank > 0 ? (hidden + query) * l.query_rank : hidden * query;
  const double keys = hidden * (l.rank + l.rotary_dim) + l.rank * heads * (key + l.value_dim);
  return queries + keys;
}

/// Queries, keys and values: three matrices, or two where values are the keys.
double head_weights(const Model& m, const LayerRow* row) {
  const double tensors = row && row->shared_values ? 1 : 2, hidden = m.hidden;
  const double queries = static_cast<double>(m.heads) * m.head_dim, rank = row ? row->query_rank : 0;
  return (rank > 0 ? (hidden + queries) * rank : hidden * queries) + hidden * m.head_dim * tensors * m.kv_heads;
}

/// The output of attention: one matrix, or groups of heads that are narrowed each and joined.
double output_weights(const Model& m, const LayerRow* row) {
  const double context = static_cast<double>(m.heads) * (m.latent.rank > 0 ? m.latent.value_dim : m.head_dim);
  const double gate = row && row->gated ? static_cast<double>(m.hidden) * context : 0;
  if (!row || row->output_rank == 0) return context * m.hidden + gate;
  return context * row->output_rank + static_cast<double>(row->output_groups * row->output_rank) * m.hidden + gate;
}

/// Queries, one key and the weights of the heads (DeepSeek-V3.2): queries come from their latent, where there is one.
double indexer_weights(const Model& m, const LayerRow* row) {
  if (!row || row->indexer.heads == 0 || row->indexer.shared) return 0;
  const Indexer& i = row->indexer;
  const int64_t rank = std::max(m.latent.query_rank, row->query_rank);
  const double from = static_cast<double>(rank > 0 ? rank : m.hidden);
  const int64_t pooled = std::max<int64_t>(1, 2 * row->overlap);
  return from * i.heads * i.head_dim + static_cast<double>(m.hidden) * (pooled * i.head_dim + i.heads);
}

/// Values and weights of what tokens add to compressed keys (DeepSeek-V4, inference/model.py, Compressor).
double pooling_weights(const Model& m, const LayerRow* row) {
  return row ? 2.0 * row->overlap * m.kv_heads * m.head_dim * m.hidden : 0;
}

double attention_weights(const Model& m, const LayerRow* row) {
  const double heads = m.latent.rank > 0 ? latent_weights(m) : head_weights(m, row);
  return heads + output_weights(m, row) + indexer_weights(m, row) + pooling_weights(m, row);
}

double mixer_weights(const Model& m, const LayerRow* row) {
  if (!row || row->mixer == Mixer::attention) return attention_weights(m, row);
  double sum = 0;
  if (row->mixer == Mixer::steps)
    for (const LayerStep& step : settled_steps(*row, m.hidden)) sum += step_matrix(step);
  return sum;
}

double mlp_weights(const Model& m, double ffn) { return (m.gated_mlp ? 3.0 : 2.0) * m.hidden * ffn; }

/// Router, shared experts and `experts` routed ones, whose tokens may be narrowed before and widened behind them.
double mixture_weights(const Model& m, const LayerRow* row, double experts) {
  const Experts& e = m.experts;
  const double hidden = m.hidden, width = row && row->expert_width > 0 ? row->expert_width : hidden;
  return hidden * e.count + mlp_weights(m, e.shared_ffn) + (e.shared_gate ? hidden : 0) +
         experts * mlp_weights(m, e.ffn) * width / hidden + (width < hidden ? 2 * hidden * width : 0);
}

double feed_forward_weights(const Model& m, const LayerKind& kind, const LayerRow* row, double experts) {
  if (row && row->feed_forward == FeedForward::none) return 0;
  return kind.experts ? mixture_weights(m, row, experts) : mlp_weights(m, m.ffn);
}

/// Weights of the layer's matrices, with this number of routed experts.
double matrix_weights(const Model& model, const LayerKind& kind, double experts) {
  const LayerRow* row = layer_row(model, kind);
  if (!row) return attention_weights(model, row) + feed_forward_weights(model, kind, row, experts);
  const Model m = layer_model(model, kind);
  return mixer_weights(m, row) + feed_forward_weights(m, kind, row, experts);
}

/// `width`: of the tokens that it writes.
double mlp_biases(const Model& m, double ffn, double width) { return width + (m.gated_mlp ? 2.0 : 1.0) * ffn; }

/// Matrices to and from a latent have none (Megatron-Core, multi_latent_attention.py); a gate is projected as queries
/// are.
double head_biases(const Model& m, const LayerRow* row) {
  if (row && row->mixer != Mixer::attention) return 0;
  const double behind = m.bias ? m.hidden : 0;
  if (m.latent.rank > 0 || !(m.bias || m.qkv_bias)) return behind;
  const bool narrow = row && row->query_rank > 0;
  const int64_t tensors = row && row->shared_values ? 1 : 2;
  const int64_t queries = narrow ? 0 : m.heads * (row && row->gated ? 2 : 1);
  return static_cast<double>((queries + tensors * m.kv_heads) * m.head_dim) + behind;
}

double feed_forward_biases(const Model& m, const LayerKind& kind, const LayerRow* row, double experts) {
  if (!m.bias || (row && row->feed_forward == FeedForward::none)) return 0;
  if (!kind.experts) return mlp_biases(m, m.ffn, m.hidden);
  const double shared = m.experts.shared_ffn > 0 ? mlp_biases(m, m.experts.shared_ffn, m.hidden) : 0;
  const double width = row && row->expert_width > 0 ? row->expert_width : m.hidden;
  return m.experts.count + shared + experts * mlp_biases(m, m.experts.ffn, width);
}

/// Scale, and with biases a shift; an RMS norm never shifts.
double norm_weights(const Model& m, double width) { return width * (m.bias && m.norm == Norm::layernorm ? 2 : 1); }
double norm_weights(const Model& m) { return norm_weights(m, static_cast<double>(m.hidden)); }

/// Norms of latents and of heads, sinks; of a list of steps, all weights outside matrices.
double mixer_vectors(const Model& m, const LayerRow* row) {
  if (!row || row->mixer == Mixer::attention) {
    const int64_t narrow = m.latent.rank > 0 ? m.latent.rank + m.latent.query_rank : row ? row->query_rank : 0;
    return norm_weights(m, static_cast<double>(narrow)) + (row ? pooling_biases(m, *row) : 0) +
           static_cast<double>((m.qk_norm ? 2 * m.head_dim : 0) + (m.sinks ? m.heads : 0));
  }
  double sum = 0;
  if (row->mixer == Mixer::steps)
    for (const LayerStep& step : settled_steps(*row, m.hidden)) sum += step_vectors(step, *row);
  return sum;
}

/// A norm before each part of the layer, one for both where they run side by side, and with `post_norm` one behind
/// each.
double layer_norms(const Model& m, const LayerRow* row) {
  const int parts = row ? parts_of(*row) : 2;
  return (m.parallel_block ? 1 : parts) + (m.post_norm ? parts : 0);
}

/// What mixes the streams before and behind each part: weights from all streams to those that are read, written and
/// passed on (mHC, arXiv:2512.24880, equations 3 to 5).
double stream_weights(const Model& m, const LayerRow* row) {
  if (!row || row->streams == 1) return 0;
  const double n = row->streams;
  return parts_of(*row) * n * m.hidden * (2 * n + n * n);
}

/// A query for the sums of earlier parts, and the norm of these as keys, before each part (arXiv:2603.15031, section
/// 3).
double residual_weights(const Model& m, const LayerRow* row) {
  return row && row->residual_block > 0 ? 2.0 * parts_of(*row) * m.hidden : 0;
}

/// All but matrices.
double vector_weights(const Model& m, const LayerKind& kind, const LayerRow* row, double experts) {
  return head_biases(m, row) + feed_forward_biases(m, kind, row, experts) + mixer_vectors(m, row) +
         layer_norms(m, row) * norm_weights(m) + stream_weights(m, row) + residual_weights(m, row);
}

double layer_weights(const Model& m, const LayerKind& kind, double experts) {
  const LayerRow* row = layer_row(m, kind);
  const double vectors =
      row ? vector_weights(layer_model(m, kind), kind, row, experts) : vector_weights(m, kind, row, experts);
  return matrix_weights(m, kind, experts) + vectors;
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
  for (const LayerKind& kind : layers_of(m)) sum += of(m, kind, experts);
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

/// The mixer's own work on a token, beside its matrices.
double mixer_flops(const Model& m, const LayerKind& kind, const LayerRow* row, double sequence, bool halve_causal) {
  if (row && row->mixer == Mixer::none) return 0;
  if (row && row->mixer == Mixer::steps) {
    double sum = 0;
    for (const LayerStep& step : settled_steps(*row, m.hidden)) {
      if (step.kind == StepKind::scan) sum += recurrence_flops(*row);
      if (step.kind == StepKind::convolution) sum += 2.0 * static_cast<double>(row->kernel * step.out);
    }
    return sum;
  }
  const bool halved = m.causal && halve_causal;
  const double some = row ? attended_keys(*row, sequence, halved) : 0;
  const double attends = attention_flops(m, some > 0 ? some : keys_per_token(m, kind.windowed, sequence, halve_causal));
  if (!row || row->indexer.heads == 0 || row->indexer.shared) return attends;
  const double scored = sequence / static_cast<double>(row->compression * row->indexer.block);
  return attends + 2.0 * static_cast<double>(row->indexer.heads * row->indexer.head_dim) * scored * (halved ? 0.5 : 1);
}

double layer_flops(const Model& m, const LayerKind& kind, double sequence, bool halve_causal) {
  const LayerRow* row = layer_row(m, kind);
  const double mixer = row ? mixer_flops(layer_model(m, kind), kind, row, sequence, halve_causal)
                           : mixer_flops(m, kind, row, sequence, halve_causal);
  return 2 * matrix_weights(m, kind, m.experts.top_k) + mixer;
}

double head_flops(const Model& m, double tokens, double sequence) {
  double hidden = m.hidden, head = 2 * hidden * m.vocab * m.predicted * tokens;
  if (m.head == Head::lm) return head;
  double transform = 2 * hidden * hidden * m.predicted * tokens;
  double first_token = 2 * (hidden * hidden + 2 * hidden) * (tokens / sequence);  // pooler, next sentence
  return head + transform + first_token;
}

}  // namespace

namespace {

LayerKind layer_at(const Model& m, int64_t index) {
  const Experts& e = m.experts;
  const int64_t behind = index - e.first_dense;
  return {.experts = e.count > 0 && behind >= 0 && (behind + 1) % e.every == 0,
          .windowed = m.window.size > 0 && (m.window.global_every == 0 || (index + 1) % m.window.global_every != 0)};
}

LayerKind layer_of(const Model& m, char letter) {
  LayerKind kind;
  for (size_t i = 0; i < m.kinds.size(); ++i) {
    const LayerRow& row = m.kinds[i];
    if (row.letter.size() != 1 || row.letter[0] != letter) continue;
    kind.row = static_cast<int>(i);
    kind.experts = row.feed_forward == FeedForward::experts;
    kind.windowed = row.mixer == Mixer::attention && row.window > 0;
  }
  return kind;
}

}  // namespace

std::vector<LayerKind> layers_of(const Model& m) {
  std::vector<LayerKind> layers;
  const std::string letters = expand_pattern(m.pattern).letters;
  for (int64_t i = 0; i < m.layers; ++i)
    layers.push_back(letters.empty() ? layer_at(m, i) : layer_of(m, letters[static_cast<size_t>(i) % letters.size()]));
  return layers;
}

std::vector<LayerKind> prediction_kinds(const Model& m) {
  std::vector<LayerKind> kinds;
  if (!m.mtp_pattern.empty())
    for (const char letter : expand_pattern(m.mtp_pattern).letters) kinds.push_back(layer_of(m, letter));
  if (kinds.empty()) kinds.push_back(layers_of(m).back());
  return kinds;
}

const LayerRow* layer_row(const Model& m, const LayerKind& kind) {
  return kind.row < 0 ? nullptr : &m.kinds[static_cast<size_t>(kind.row)];
}

Model layer_model(const Model& m, const LayerKind& kind) {
  Model out = m;
  const LayerRow* row = layer_row(m, kind);
  if (!row) return out;
  out.heads = row->heads;
  out.kv_heads = row->kv_heads;
  out.head_dim = row->head_dim;
  out.ffn = row->ffn;
  out.window = {.size = row->window, .global_every = 0};
  if (out.latent.rank > 0 && row->query_rank > 0) out.latent.query_rank = row->query_rank;
  return out;
}

std::vector<LayerKind> layer_kinds(const Model& m) {
  std::vector<LayerKind> kinds;
  const auto add = [&](const LayerKind& kind) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  };
  if (!m.pattern.empty()) {
    for (const LayerKind& kind : layers_of(m)) add(kind);
    return kinds;
  }
  // Behind the first dense layers the kinds come again in turns.
  const int64_t every = std::max<int64_t>(1, m.experts.every), global = std::max<int64_t>(1, m.window.global_every);
  const bool turns = every < m.layers && global < m.layers && m.experts.first_dense < m.layers;
  const int64_t last = turns ? std::min(m.layers, m.experts.first_dense + std::lcm(every, global)) : m.layers;
  for (int64_t i = 0; i < last; ++i) add(layer_at(m, i));
  return kinds;
}

double pooling_biases(const Model& m, const LayerRow& row) {
  const int64_t index = row.indexer.heads > 0 && !row.indexer.shared ? row.indexer.head_dim : 0;
  return static_cast<double>(row.compression * row.overlap * (m.kv_heads * m.head_dim + index));
}

double attended_sums(const Model& m, const LayerRow& row) {
  if (row.residual_block == 0) return 0;
  const int64_t parts = m.layers * parts_of(row), block = row.residual_block;
  if (parts == 0) return 0;
  // Part p has p / block full sums before it, and one more unless it begins a block.
  const int64_t full = parts / block, rest = parts % block;
  const double before = static_cast<double>(block) * static_cast<double>(full) * static_cast<double>(full - 1) / 2 +
                        static_cast<double>(full) * static_cast<double>(rest);
  const int64_t begin = full + (rest > 0 ? 1 : 0);
  return 1 + (before + static_cast<double>(parts - begin)) / static_cast<double>(parts);
}

double layer_parameters(const Model& m, const LayerKind& kind) {
  if (!m.operators.empty()) return fixed_parameters(m.operators);
  return layer_weights(m, kind, m.experts.count);
}

double parameters(const Model& m) {
  if (!m.operators.empty()) return fixed_parameters(m.operators);
  return embedding_parameters(m) + sum_over_layers(m, layer_weights, m.experts.count) + head_parameters(m) + m.towers;
}

double active_parameters(const Model& m) {
  if (!m.operators.empty()) return fixed_parameters(m.operators) - fixed_tables(m.operators);
  const double lookup = m.tied_embeddings ? 0 : embedding_parameters(m);
  return parameters(m) - m.towers - lookup - sum_over_layers(m, layer_weights, m.experts.count) +
         sum_over_layers(m, layer_weights, m.experts.top_k);
}

double forward_flops(const Model& m, double tokens, double sequence, bool halve_causal) {
  if (!m.operators.empty()) return fixed_flops(m.operators) * tokens / sequence;
  double layers = 0;
  for (const LayerKind& kind : layers_of(m)) layers += layer_flops(m, kind, sequence, halve_causal);
  // A prediction layer joins two streams, runs layers of its kinds, and the head again.
  const double hidden = m.hidden, depth = m.mtp;
  if (m.mtp > 0) {
    double predicted = 4 * hidden * hidden;
    for (const LayerKind& kind : prediction_kinds(m)) predicted += layer_flops(m, kind, sequence, halve_causal);
    layers += depth * predicted;
  }
  return layers * tokens + (1 + depth) * head_flops(m, tokens, sequence);
}

}  // namespace planner
