// Operators of attention that does not see all keys, in addition to its heads: an indexer chooses keys, and tokens are
// pooled into keys that represent several of them.
#include <algorithm>

#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

// Values and weights of each token for the keys that it is pooled into (DeepSeek-V4, inference/model.py, Compressor).
void pool_keys(const MicrobatchShape& shape, BlockBuilder& b) {
  const LayerRow& row = *shape.row;
  const Strands input = b.flow().here();
  const int64_t key = shape.model->kv_heads * shape.model->head_dim, made = 2 * row.overlap * key;
  b.linear({.name = "attention.compress",
            .role = Role::selection,
            .in = shape.hidden,
            .out = made,
            .split = Split::sequence});
  const double a = shape.element, elements = shape.tokens * static_cast<double>(made);
  const double kept =
      static_cast<double>(key) / static_cast<double>(made * row.compression);  // of a value that is read
  b.vector(Role::selection, "attention.pooled", Split::sequence,
           {.kind = VectorKind::softmax, .elements = elements, .read = a, .written = a * kept, .flops = 5},
           {.read = a * (1 + kept), .written = a, .flops = 8});
  b.weight("attention.pooled", pooling_biases(*shape.model, row), Split::none);
  b.save(SavedRole::selection_input, "attention.pooled", a * elements, Split::sequence);
  b.flow().from(input);
}

// The indexer of DeepSeek-V3.2 (arXiv:2512.02556, section 2.1): narrow queries from their latent, one narrow key, a
// weight for each head; scores, and the choice.
void choose_keys(const MicrobatchShape& shape, BlockBuilder& b) {
  const Indexer& indexer = shape.row->indexer;
  const Strands input = b.flow().here();
  const int64_t latent = std::max(shape.model->latent.query_rank, shape.row->query_rank),
                keys = shape.sequence / shape.row->compression;
  const auto project = [&](const Label& name, int64_t in, int64_t out) {
    b.flow().from(input);
    b.linear({.name = name, .role = Role::selection, .in = in, .out = out, .split = Split::sequence});
    return b.flow().here();
  };
  const Strands query =
      project("attention.index-q", latent > 0 ? latent : shape.hidden, indexer.heads * indexer.head_dim);
  const int64_t pooled = std::max<int64_t>(1, 2 * shape.row->overlap);  // a value and a weight for each
  const Strands key = project("attention.index-k", shape.hidden, pooled * indexer.head_dim);
  project("attention.index-weights", shape.hidden, indexer.heads);
  b.flow().join(query);
  b.flow().join(key);
  const operator_models::Selection choice{.batch = shape.batch,
                                          .queries = shape.sequence,
                                          .keys = std::max<int64_t>(1, keys / indexer.block),
                                          .heads = indexer.heads,
                                          .head_dim = indexer.head_dim,
                                          .top_k = indexer.top_k,
                                          .causal = shape.model->causal,
                                          .precision = shape.attention};
  b.both_ways(Role::selection, "attention.choice", choice, Split::none);
  b.save(SavedRole::selection_input, "attention.index", shape.bytes((indexer.heads + 1) * indexer.head_dim),
         Split::sequence);
  b.flow().from(input);
}

}  // namespace

void lower_key_choice(const MicrobatchShape& shape, BlockBuilder& b) {
  if (shape.row->overlap > 0) pool_keys(shape, b);
  if (shape.row->indexer.heads > 0 && !shape.row->indexer.shared) choose_keys(shape, b);
}

}  // namespace planner
