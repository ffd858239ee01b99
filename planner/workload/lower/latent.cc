// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1; training computes every head's keys and
// values, so that the core is ordinary attention with two widths of head).
//
// Down-projections are narrow and not divided by tensor parallelism: each rank works on its share of the sequence.
// Up-projections have a column for each head.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

void down(const MicrobatchShape& shape, BlockBuilder& b, Role role, const Label& name, int64_t width) {
  b.linear({.name = name, .role = role, .in = shape.hidden, .out = width, .split = Split::sequence});
}

void up(BlockBuilder& b, Role role, const Label& name, int64_t in, int64_t out) {
  b.linear({.name = name, .role = role, .in = in, .out = out, .split = Split::column, .enters = true});
}

// The narrow stream: a norm, whose output the up-projection reads.
void norm(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm, SavedRole output,
          int64_t rank) {
  lower_norm(s, shape, b, norm, shape.tokens, Split::sequence, rank);
  b.save(output, norm.name + ".output", shape.input_bytes(rank), Split::sequence);
}

// Every head's key is put together of two parts.
void join_parts(const MicrobatchShape& shape, BlockBuilder& b) {
  const double heads = static_cast<double>(shape.model->heads), a = shape.element;
  const double joined =
      shape.tokens * heads *
      static_cast<double>(shape.model->head_dim + shape.model->latent.rotary_dim + shape.model->latent.value_dim);
  const VectorSpec join{.elements = joined, .read = a, .written = a};
  b.vector(Role::join_parts, "attention.join", Split::column, join);
}

}  // namespace

void lower_rope(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, double elements) {
  // Unfused: slice, negate, concatenate, two multiplies and an add, each through memory.
  const double bytes = (s.software.fusion.rope ? 1 : 3) * shape.element;
  b.vector(Role::rotary, "attention.rope", Split::column,
           {.kind = VectorKind::rope, .elements = elements, .read = bytes, .written = bytes, .flops = 3});
}

void lower_narrow_queries(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, int64_t rank,
                          int64_t width) {
  down(shape, b, Role::query_down, "attention.q-down", rank);
  norm(s, shape, b, {"attention.q-norm", Role::query_latent_norm, SavedRole::query_latent},
       SavedRole::query_latent_normed, rank);
  up(b, Role::query_up, "attention.q-up", rank, width);
}

void lower_latent(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const Latent& l = shape.model->latent;
  const int64_t heads = shape.model->heads, key = shape.model->head_dim + l.rotary_dim;
  const Strands input = b.flow().here();
  if (l.query_rank > 0) lower_narrow_queries(s, shape, b, l.query_rank, heads * key);
  else up(b, Role::query_up, "attention.q-up", shape.hidden, heads * key);
  const Strands query = b.flow().here();
  b.flow().from(input);
  down(shape, b, Role::key_value_down, "attention.kv-down", l.rank + l.rotary_dim);
  const Strands narrow = b.flow().here();
  norm(s, shape, b, {"attention.kv-norm", Role::key_value_latent_norm, SavedRole::key_value_latent},
       SavedRole::key_value_latent_normed, l.rank);
  up(b, Role::key_value_up, "attention.kv-up", l.rank, heads * (shape.model->head_dim + l.value_dim));
  const Strands heads_of_both = b.flow().here();
  b.flow().from(query);
  b.flow().join(narrow);
  // The rotary part of queries, and of the one key that all heads share.
  lower_rope(s, shape, b, shape.tokens * static_cast<double>(heads) * static_cast<double>(l.rotary_dim));
  b.flow().join(heads_of_both);
  join_parts(shape, b);
  const double a = shape.bytes(heads);
  b.save(SavedRole::query, "attention.query", a * static_cast<double>(key), Split::heads);
  b.save(SavedRole::key, "attention.key", a * static_cast<double>(key), Split::heads);
  b.save(SavedRole::value, "attention.value", a * static_cast<double>(l.value_dim), Split::heads);
}

}  // namespace planner
