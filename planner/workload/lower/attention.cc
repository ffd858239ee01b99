// Attention: projections, scores, softmax and context, fused or as separate kernels.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

int64_t kv_heads_held(const Scenario& s, const MicrobatchShape& shape) {
  // With more tensor ranks than key/value heads each rank holds a copy of one: count the copies as heads.
  return std::max(shape.model->kv_heads, std::min(s.parallelism.tp, shape.model->heads));
}

// Queries and keys stand at its end, values in what it returns.
Strands projections(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const bool narrow = shape.row && shape.row->query_rank > 0;  // queries come from a latent of their own
  const bool gated = shape.row && shape.row->gated && !narrow, shared = shape.row && shape.row->shared_values;
  const int64_t queries = (gated ? 2 : 1) * shape.model->heads * shape.model->head_dim;  // the gate's beside them
  const int64_t keys = kv_heads_held(s, shape) * shape.model->head_dim;
  Linear l{.name = "",
           .in = shape.hidden,
           .split = Split::column,
           .bias = shape.model->bias || shape.model->qkv_bias,
           .separate_bias = !s.software.fusion.bias_activation,
           .enters = true};
  const Strands input = b.flow().here();
  auto project = [&](Role role, const Label& name, int64_t out) {
    b.flow().from(input);
    l.role = role;
    l.name = name;
    l.out = out;
    b.linear(l);
    l.enters = false;  // Q, K and V share one gathered input
    return b.flow().here();
  };
  if (s.software.fusion.qkv && !narrow) return project(Role::qkv, "attention.qkv", queries + (shared ? 1 : 2) * keys);
  l.independent = 1;
  // As latent attention has them (DeepSeek-V4).
  if (narrow) lower_narrow_queries(s, shape, b, shape.row->query_rank, queries);
  const Strands query = narrow ? b.flow().here() : project(Role::query, "attention.q", queries);
  const Strands key = project(Role::key, "attention.k", keys);
  const Strands value = shared ? key : project(Role::value, "attention.v", keys);
  b.flow().from(query);
  b.flow().join(key);
  return value;
}

// Of queries and keys.
double query_and_key_values(const Scenario& s, const MicrobatchShape& shape) {
  return shape.tokens * static_cast<double>((shape.model->heads + kv_heads_held(s, shape)) * shape.model->head_dim);
}

// A norm of every query and key head.
void norm_heads(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  if (!shape.model->qk_norm) return;
  const double a = shape.element;
  const int64_t width = shape.model->head_dim;
  const double elements = query_and_key_values(s, shape);
  b.vector(
      Role::head_norm, "attention.qk-norm", Split::column,
      {.kind = VectorKind::normalization, .elements = elements, .read = a, .written = a, .flops = 4, .width = width},
      {.read = 2 * a, .written = a, .flops = 8});
  b.weight("attention.qk-norm", 2 * static_cast<double>(shape.model->head_dim), Split::none);
  b.save(SavedRole::heads_unnormed, "attention.qk-norm.input", a * elements, Split::heads);
}

void core_vectors(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, double scores) {
  const double a = shape.element;
  const int64_t keys = shape.sequence;
  if (!s.software.fusion.softmax) {
    const VectorSpec pass{.elements = scores, .read = a, .written = a};
    b.vector(Role::scale, "attention.scale", Split::heads, pass);
    // The gradient passes through the sum with the mask as it is.
    b.vector(Role::mask, "attention.mask", Split::heads, StepPhase::forward, pass);
  }
  // Both at the forward rate of such rows: backward rates were measured on rows of other widths than the tables have.
  b.vector(Role::softmax, "attention.softmax", Split::heads,
           {.kind = VectorKind::softmax, .elements = scores, .read = a, .written = a, .flops = 5, .width = keys},
           {.read = 2 * a, .written = a, .flops = 4});
  b.save(SavedRole::probabilities, "attention.softmax", a * scores, Split::heads);
  if (shape.model->dropout == 0) return;
  const Dropout dropout{Role::probability_dropout, "attention.dropout", scores, Split::heads};
  lower_dropout(s, shape, b, dropout, SavedRole::probability_mask);
  b.save(SavedRole::probabilities_dropped, "attention.dropout", a * scores, Split::heads);
}

// Batched GEMMs of a framework without strided heads: each tensor of a sequence is copied head by head, and back.
void copy_heads(const MicrobatchShape& shape, BlockBuilder& b, Role role, const Label& name, int64_t columns,
                double tensors) {
  const VectorSpec copy{
      .elements = shape.tokens * static_cast<double>(columns), .read = shape.element, .written = shape.element};
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    b.vector(role, name, Split::heads, phase, copy);
    b.last().count = tensors;
  }
}

void unfused_core(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, Strands values) {
  const Latent& latent = shape.model->latent;
  const int64_t n = shape.sequence, batch = shape.batch * shape.model->heads;
  const int64_t d = shape.model->head_dim + (latent.rank > 0 ? latent.rotary_dim : 0);
  const int64_t v = latent.rank > 0 ? latent.value_dim : d;
  const double scores = static_cast<double>(batch) * static_cast<double>(n) * static_cast<double>(n);
  if (!s.software.fusion.heads) {
    b.flow().join(values);
    copy_heads(shape, b, Role::split_heads, "attention.split-heads", shape.model->heads * d, 3);
    values = b.flow().here();
  }
  b.batched(Role::score, "attention.score", batch, {n, n, d}, {n, d, n}, {d, n, n});
  core_vectors(s, shape, b, scores);
  b.flow().from(Flow::as(b.flow().here(), Returns::second));
  b.flow().join(values, Returns::first);
  b.batched(Role::weighted_values, "attention.context", batch, {v, n, n}, {v, n, n}, {n, n, v});
  if (!s.software.fusion.heads)
    copy_heads(shape, b, Role::join_heads, "attention.join-heads", shape.model->heads * v, 1);
}

// The kernel of a framework that keeps the sequence first: queries, keys and values are copied batch by batch, and the
// context back, so that it is kept as the kernel wrote it and as the projection reads it.
void copy_in(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Attention& attention) {
  if (s.software.fusion.heads) return;
  const int64_t values = attention.value_dim > 0 ? attention.value_dim : attention.head_dim;
  copy_heads(shape, b, Role::split_heads, "attention.split-heads",
             (attention.heads + attention.kv_heads) * attention.head_dim + attention.kv_heads * values, 1);
}

void copy_out(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Attention& attention) {
  if (s.software.fusion.heads) return;
  const int64_t values = attention.value_dim > 0 ? attention.value_dim : attention.head_dim;
  copy_heads(shape, b, Role::join_heads, "attention.join-heads", attention.heads * values, 1);
  b.save(SavedRole::context_exchanged, "attention.context-heads", shape.bytes(attention.heads * values), Split::heads);
}

// The context times its gate. The gate was projected with the queries or, if these come from a latent, separately.
void apply_gate(const MicrobatchShape& shape, BlockBuilder& b, const Strands& normed, int64_t context) {
  const double a = shape.element, elements = shape.tokens * static_cast<double>(context);
  if (shape.model->latent.rank > 0 || shape.row->query_rank > 0) {
    const Strands heads = b.flow().here();
    b.flow().from(normed);
    b.linear({.name = "attention.gate",
              .role = Role::query,
              .in = shape.hidden,
              .out = context,
              .split = Split::column,
              .enters = true});
    b.flow().join(heads);
  }
  b.vector(Role::attention_gate, "attention.gated", Split::column,
           {.kind = VectorKind::activation, .elements = elements, .read = 2 * a, .written = a, .flops = 9},
           {.read = 3 * a, .written = 2 * a, .flops = 14});
  b.save(SavedRole::attention_gate, "attention.gate", a * elements, Split::heads);
  b.save(SavedRole::attention_gated, "attention.gated", a * elements, Split::heads);
}

// Groups of heads are narrowed each, so that the second matrix is small (DeepSeek-V4: o_groups, o_lora_rank).
int64_t narrow_output(const MicrobatchShape& shape, BlockBuilder& b, int64_t context) {
  const LayerRow& row = *shape.row;
  b.linear({.name = "attention.projection-down",
            .role = Role::attention_output,
            .in = context / row.output_groups,
            .out = row.output_rank,
            .split = Split::heads,
            .experts = row.output_groups});
  const int64_t narrow = row.output_groups * row.output_rank;
  b.save(SavedRole::attention_gated, "attention.projected", shape.input_bytes(narrow), Split::heads);
  return narrow;
}

// A packed sequence is several documents that do not see each other.
void fused_core(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const LayerKind& kind,
                const Strands& values) {
  const int64_t length = std::min(s.job.document, shape.sequence);
  const bool latent = shape.model->latent.rank > 0;
  Attention attention{.kernel = s.software.attention,
                      .batch = shape.batch * ((shape.sequence + length - 1) / length),
                      .heads = shape.model->heads,
                      .kv_heads = latent ? shape.model->heads : kv_heads_held(s, shape),
                      .queries = length,
                      .keys = length,
                      .head_dim = shape.model->head_dim + (latent ? shape.model->latent.rotary_dim : 0),
                      .causal = shape.model->causal,
                      .precision = shape.attention,
                      .value_dim = latent ? shape.model->latent.value_dim : 0,
                      .window = kind.windowed && shape.model->window.size < length ? shape.model->window.size : 0};
  if (shape.row)
    attention.selected =
        static_cast<int64_t>(attended_keys(*shape.row, static_cast<double>(length), shape.model->causal));
  if (attention.selected > 0) attention.window = 0;
  b.flow().join(values);
  copy_in(s, shape, b, attention);
  b.both_ways(Role::fused_attention, "attention.fused", attention, Split::heads);
  copy_out(s, shape, b, attention);
  b.save(SavedRole::log_sum_exp, "attention.log-sum-exp", 4 * shape.tokens * static_cast<double>(shape.model->heads),
         Split::heads);
}

// Queries, keys and values of every head, each from its own columns of one projection.
Strands lower_heads(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const double a = shape.element * shape.tokens;
  const double key_bytes = a * static_cast<double>(kv_heads_held(s, shape) * shape.model->head_dim);
  const Strands values = projections(s, shape, b);
  norm_heads(s, shape, b);
  if (shape.model->rotary) lower_rope(s, shape, b, query_and_key_values(s, shape));
  b.save(SavedRole::query, "attention.query", a * static_cast<double>(shape.model->heads * shape.model->head_dim),
         Split::heads);
  b.save(SavedRole::key, "attention.key", key_bytes, Split::heads);
  b.save(SavedRole::value, "attention.value", key_bytes, Split::heads);
  return values;
}

}  // namespace

void lower_attention(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const LayerKind& kind) {
  const bool latent = shape.model->latent.rank > 0;
  const int64_t context = shape.model->heads * (latent ? shape.model->latent.value_dim : shape.model->head_dim);
  b.in(Sublayer::attention);
  b.save(SavedRole::attention_input, "attention.input", shape.input_bytes(shape.hidden), Split::sequence).gathered =
      !latent;
  const Strands normed = b.flow().here();
  if (shape.row) lower_key_choice(shape, b);
  if (latent) lower_latent(s, shape, b);
  const Strands values = latent ? b.flow().here() : lower_heads(s, shape, b);
  if (shape.model->sinks) b.weight("attention.sinks", static_cast<double>(shape.model->heads), Split::heads);
  if (attends_unfused(s)) unfused_core(s, shape, b, values);
  else fused_core(s, shape, b, kind, values);
  b.save(SavedRole::context, "attention.context", shape.bytes(context), Split::heads);
  if (shape.row && shape.row->gated) apply_gate(shape, b, normed, context);
  const bool narrows = shape.row && shape.row->output_rank > 0;
  b.linear({.name = "attention.projection",
            .role = Role::attention_output,
            .in = narrows ? narrow_output(shape, b, context) : context,
            .out = shape.hidden,
            .split = Split::row,
            .bias = shape.model->bias,
            .separate_bias = false,
            .leaves = true});
}

}  // namespace planner
