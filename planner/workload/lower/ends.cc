// The ends of the model: embedding, and head with loss.
#include <cmath>
#include <utility>

#include "planner/workload/lower/builder.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// BERT's masked-LM head: a dense layer with activation and norm before the decoder, and the pooler.
void lower_masked_head(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, double rows) {
  const double h = static_cast<double>(shape.hidden);
  const Strands states = b.flow().here();
  b.linear({.name = "head.transform",
            .role = Role::masked_transform,
            .rows = rows,
            .in = shape.hidden,
            .out = shape.hidden,
            .split = Split::none,
            .bias = true,
            .precision = shape.head});
  lower_function(s, shape, b, Role::masked_activation, "head.activation", rows * h, Split::none);
  lower_norm(s, shape, b, {"head.transform-norm", Role::final_norm, SavedRole::final_states}, rows, Split::none);
  const Strands transformed = b.flow().here();
  b.flow().from(states);
  b.linear({.name = "head.pooler",
            .role = Role::pooler,
            .rows = static_cast<double>(shape.batch),
            .in = shape.hidden,
            .out = shape.hidden,
            .split = Split::none,
            .bias = true,
            .precision = shape.head});
  b.linear({.name = "head.next-sentence",
            .role = Role::next_sentence,
            .rows = static_cast<double>(shape.batch),
            .in = shape.hidden,
            .out = 2,
            .split = Split::none,
            .bias = true,
            .precision = shape.head});
  b.flow().from(transformed);
}

void lower_loss(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, double rows) {
  const double a = shape.element, logits = rows * static_cast<double>(shape.model->vocab);
  // Unfused: a copy in fp32, its softmax and the gradient of both go through memory.
  const bool fused = s.software.fusion.cross_entropy;
  const Strands scores = Flow::as(b.flow().here(), Returns::never);
  b.vector(Role::loss, "head.loss", Split::column,
           {.kind = VectorKind::cross_entropy,
            .elements = logits,
            .read = fused ? a : a + 8,
            .written = fused ? a : 8,
            .flops = 5},
           {.read = fused ? a : 8, .written = fused ? a : 4 + a, .flops = 2});
  b.flow().from(scores);
  if (s.software.metric_bytes > 0)
    b.vector(Role::metrics, "head.metrics", Split::column, StepPhase::forward,
             {.kind = VectorKind::cross_entropy,
              .elements = logits,
              .read = s.software.metric_bytes / 2,
              .written = s.software.metric_bytes / 2,
              .flops = 5});
  const MemoryHabits& habits = s.software.memory;
  const double each = s.parallelism.tp > 1 ? habits.parallel_logits : habits.logits;
  b.moment("head.loss", StepPhase::forward, {{.name = "logits", .bytes = each * logits, .split = Split::column}});
  // torch.distributed.pipelining returns what all microbatches give, and so keeps it (stage.py, output_chunks).
  if (habits.kept_logits > 0) b.keep("logits", habits.kept_logits * logits, Split::column);
}

// The gradient of the logits and, of all ranks' tokens, that of the hidden states, not reduced yet; beside them the
// hidden states where a shard was kept of them.
void input_gradient(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, double rows) {
  const double states = shape.element * rows * static_cast<double>(shape.hidden);
  const Parallelism& p = s.parallelism;
  const bool gathers = p.tp > 1 && p.sequence_parallel && !s.software.memory.keeps_gathered;
  const double logits = rows * static_cast<double>(shape.model->vocab);
  b.moment("head.logits.dgrad", StepPhase::backward,
           {{.name = "logits-gradient", .bytes = shape.element * logits, .split = Split::column},
            {.name = "input-gradient", .bytes = states, .split = Split::none},
            {.name = "input", .bytes = gathers ? states : 0, .split = Split::none}});
}

double predicted_rows(const Scenario& s, const MicrobatchShape& shape) {
  if (s.software.all_positions && shape.model->head == Head::mlm) return shape.tokens;
  return std::max(1.0, std::ceil(shape.tokens * shape.model->predicted - 1e-6));
}

}  // namespace

void lower_embedding(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const double h = static_cast<double>(shape.hidden), elements = shape.tokens * h;
  const int64_t rows = static_cast<int64_t>(shape.tokens);
  b.in(Sublayer::embedding);
  b.weight("embedding.word", static_cast<double>(shape.model->vocab) * h, Split::column);
  b.both_ways(Role::embedding, "embedding.word",
              Lookup{.rows = rows, .width = shape.hidden, .bytes_per_element = shape.element}, Split::none);
  const double extra = static_cast<double>(shape.model->positions + shape.model->token_types);
  if (extra > 0) {
    b.weight("embedding.position", extra * h, Split::none);
    b.vector(Role::position, "embedding.position", Split::none, StepPhase::forward,
             {.elements = elements, .read = 2 * shape.element, .written = shape.element});
    b.vector(Role::position, "embedding.position", Split::none, StepPhase::backward,
             {.kind = VectorKind::reduction, .elements = elements, .read = shape.element, .written = 0});
  }
  if (shape.model->embedding_norm)
    lower_norm(s, shape, b, {"embedding.norm", Role::embedding_norm, SavedRole::embedded}, shape.tokens,
               Split::sequence);
  if (shape.model->dropout > 0) {
    lower_dropout(s, shape, b, {Role::embedding_dropout, "embedding.dropout", elements, Split::sequence},
                  SavedRole::embedding_mask);
  }
}

void lower_head(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const double rows = predicted_rows(s, shape);
  b.in(Sublayer::head);
  if (shape.model->head == Head::mlm) lower_masked_head(s, shape, b, rows);
  else lower_norm(s, shape, b, {"head.norm", Role::final_norm, SavedRole::final_states}, shape.tokens, Split::sequence);
  b.save(SavedRole::head_input, "head.input", shape.element * rows * static_cast<double>(shape.hidden), Split::sequence)
      .gathered = true;
  lower_logits(s, shape, b, true);
}

void lower_logits(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, bool owns_weight) {
  const double rows = predicted_rows(s, shape);
  b.linear({.name = "head.logits",
            .role = Role::logits,
            .rows = rows,
            .in = shape.hidden,
            .out = shape.model->vocab,
            .split = Split::column,
            .bias = shape.model->head == Head::mlm,
            .tied = shape.model->tied_embeddings,
            .owns = owns_weight,
            .precision = shape.head,
            .enters = true});
  lower_loss(s, shape, b, rows);
  input_gradient(s, shape, b, rows);
}

}  // namespace planner
