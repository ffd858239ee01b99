// A mixture of experts in place of the MLP (Shazeer et al. 2017, arXiv:1701.06538; shared experts: DeepSeekMoE,
// arXiv:2401.06066), unsharded: every expert here, tokens evenly spread.
//
// Each token has k copies. They are sorted by expert, pass the experts, are put back and summed with the router's
// weights - applied to the input of the second linear layer, so that expert outputs need not be kept, or behind it.
#include <algorithm>
#include <cmath>

#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

constexpr double kScoreBytes = 4;  // scores, probabilities: fp32
constexpr double kKeptScores = 9;  // per token and expert: logits and probabilities in fp32, the choice as a byte

// Rows of one expert: its even share, or its capacity, up to whole tokens.
double rows_per_expert(const Scenario& s, const MicrobatchShape& shape) {
  const Experts& e = shape.model->experts;
  const double even = shape.tokens * static_cast<double>(e.top_k) / static_cast<double>(e.count);
  return std::max(1.0, std::ceil(even * (s.job.routing.capacity > 0 ? s.job.routing.capacity : 1)));
}

void router(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  const int64_t experts = shape.model->experts.count;
  const double scores = shape.tokens * static_cast<double>(experts);
  b.linear({.name = "router",
            .role = Role::router,
            .in = shape.hidden,
            .out = experts,
            .split = Split::sequence,
            .bias = shape.model->bias,
            .precision = shape.router});
  const VectorSpec pass{.kind = VectorKind::softmax, .elements = scores, .read = kScoreBytes, .written = kScoreBytes};
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    b.vector(Role::router_scores, "router.scores", Split::sequence, phase, pass);
    b.last().count = std::max(1.0, s.software.experts.router_kernels);
  }
  b.save(SavedRole::router_input, "router.input", shape.bytes(shape.hidden), Split::sequence);
  b.save(SavedRole::router_scores, "router.scores", kKeptScores * scores, Split::sequence);
}

// Copies of tokens change places: a pass over all of them, three where sorting, gathering and scaling are kernels
// of their own.
void move(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Label& name, Split split,
          double copies, int64_t width) {
  const double passes = s.software.experts.permute ? 1 : 3;
  const VectorSpec spec{.kind = VectorKind::permutation,
                        .elements = copies * static_cast<double>(width),
                        .read = passes * shape.element,
                        .written = passes * shape.element};
  b.vector(Role::permute, name, split, spec);
}

// Behind the second linear layer the bias of each expert, times a token's probability in fp32, is added to its rows;
// the sums are joined and cast back (Megatron-Core and NeMo AutoModel, _apply_bias of their experts). Backward the
// joined gradient is widened, goes to the rows narrow again and joined, and is multiplied and summed twice: for the
// bias and for the probability.
void add_biases(const MicrobatchShape& shape, BlockBuilder& b, double copies, int64_t width) {
  constexpr double kWide = 4, kKernels = 4;
  const double a = shape.element, elements = copies * static_cast<double>(width) / kKernels;
  const auto kernels = [&](StepPhase phase, double read, double written) {
    b.vector(Role::fc2, "experts.bias", Split::sequence, phase,
             {.elements = elements, .read = read, .written = written});
    b.last().count = kKernels;
  };
  kernels(StepPhase::forward, a + 3 * kWide, a + 3 * kWide);
  kernels(StepPhase::backward, 2 * a + 5 * kWide, 2 * a + 3 * kWide);
}

// `width`: of the tokens that they see.
void routed(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, int64_t width) {
  const Experts& e = shape.model->experts;
  const double rows = rows_per_expert(s, shape), copies = rows * static_cast<double>(e.count);
  // Ranks that send one copy to each node leave the sorting to the receiver; so do ranks that hold one expert each.
  const bool received = s.parallelism.ep > 1 && e.count > s.parallelism.ep;
  const bool sent = s.software.experts.dispatch == Dispatch::all_to_all || s.parallelism.ep == 1;
  if (sent) move(s, shape, b, "experts.permute", Split::sequence, copies, width);
  b.routed(true);
  if (received) move(s, shape, b, "experts.sort", Split::sequence, copies, width);
  lower_mlp(s, shape, b,
            {.name = "experts",
             .rows = rows,
             .width = width,
             .ffn = e.ffn,
             .experts = e.count,
             .raw_input = true,
             .input = SavedRole::expert_input});
  if (shape.model->bias && !s.software.experts.fused_bias) add_biases(shape, b, copies, width);
  if (s.software.experts.keeps_output)
    b.save(SavedRole::expert_result, "experts.result", shape.element * copies * static_cast<double>(width),
           Split::sequence);
  if (received) move(s, shape, b, "experts.unsort", Split::sequence, copies, width);
  b.routed(false);
  if (sent) move(s, shape, b, "experts.unpermute", Split::sequence, copies, width);
}

// Tokens are narrowed before routed experts, and widened behind the sum of what these wrote (LatentMoE, Nemotron 3).
void change_width(const MicrobatchShape& shape, BlockBuilder& b, Role role, int64_t in, int64_t out) {
  const bool widens = role == Role::token_widen;
  b.linear({.name = widens ? Label("experts.widen") : Label("experts.narrow"),
            .role = role,
            .in = in,
            .out = out,
            .split = Split::sequence});
  const int64_t narrow = widens ? in : out;
  b.save(SavedRole::narrowed_tokens, widens ? Label("experts.narrow-sum") : Label("experts.narrowed"),
         shape.input_bytes(narrow), Split::sequence);
}

// `stream`: where routed and shared experts begin.
void shared(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, int stream) {
  const Experts& e = shape.model->experts;
  if (e.shared_ffn == 0) return;
  const Strands routed = b.flow().here();
  b.flow().from({{stream}});
  // In 16 bits the router has kept the same input already.
  lower_mlp(s, shape, b,
            {.name = "shared",
             .rows = shape.tokens,
             .ffn = e.shared_ffn,
             .raw_input = true,
             .keeps_input = shape.saved_input < shape.element});
  const double elements = shape.tokens * static_cast<double>(shape.hidden);
  const VectorSpec add{.elements = elements, .read = 2 * shape.element, .written = shape.element};
  b.flow().join(routed);
  b.vector(Role::shared_sum, "shared.add", Split::sequence, StepPhase::forward, add);
  const Strands sum = b.flow().here();
  const int adds = b.flow().current();
  b.flow().at(stream);
  b.vector(Role::shared_sum, "shared.add", Split::sequence, StepPhase::backward, add);
  if (!e.shared_gate) return;
  b.flow().from({{stream}});
  b.linear({.name = "shared.gate",
            .role = Role::shared_gate,
            .in = shape.hidden,
            .out = 1,
            .split = Split::sequence,
            .precision = shape.router});
  b.flow().into(adds);
  b.flow().from(sum);
}

// One layer after the other. The block has experts where one of them has.
void lower_predicted_layers(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  LayerKind with_experts;
  for (const LayerKind& kind : prediction_kinds(s.model)) {
    block.layer = kind;
    lower_layer(s, shape, block, b);
    if (kind.experts) with_experts = kind;
  }
  if (with_experts.experts) block.layer = with_experts;
}

}  // namespace

void lower_mixture(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b) {
  b.in(Sublayer::experts);
  const int stream = b.flow().fork();
  router(s, shape, b);
  b.flow().join({{stream}});
  const int64_t narrow = shape.row ? shape.row->expert_width : 0;
  if (narrow > 0) change_width(shape, b, Role::token_narrow, shape.hidden, narrow);
  routed(s, shape, b, narrow > 0 ? narrow : shape.hidden);
  if (narrow > 0) change_width(shape, b, Role::token_widen, narrow, shape.hidden);
  shared(s, shape, b, stream);
}

void lower_prediction(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  const double h = static_cast<double>(shape.hidden);
  const Strands hidden = b.flow().here();
  b.in(Sublayer::embedding);
  const operator_models::Lookup lookup{
      .rows = static_cast<int64_t>(shape.tokens), .width = shape.hidden, .bytes_per_element = shape.element};
  b.both_ways(Role::embedding, "embedding.word", lookup, Split::none);
  // The embedding of the first stage, held a second time - unless the head's matrix is that copy.
  if (!shape.model->tied_embeddings)
    b.weight("embedding.word", static_cast<double>(shape.model->vocab) * h, Split::column, true);
  b.in(Sublayer::residual);
  lower_norm(s, shape, b, {"prediction.embedding-norm", Role::prediction_embedding_norm, SavedRole::embedded},
             shape.tokens, Split::sequence);
  const Strands embedded = b.flow().here();
  b.flow().from(hidden);
  lower_norm(s, shape, b, {"prediction.hidden-norm", Role::prediction_hidden_norm, SavedRole::layer_input},
             shape.tokens, Split::sequence);
  b.flow().join(embedded);
  b.linear({.name = "prediction.projection",
            .role = Role::prediction_projection,
            .in = 2 * shape.hidden,
            .out = shape.hidden,
            .split = Split::column,
            .enters = true});
  b.save(SavedRole::prediction_input, "prediction.joined", 2 * shape.saved_input * shape.tokens * h, Split::sequence);
  lower_predicted_layers(s, shape, block, b);
  b.in(Sublayer::head);
  lower_norm(s, shape, b, {"head.norm", Role::final_norm, SavedRole::final_states}, shape.tokens, Split::sequence);
  b.save(SavedRole::head_input, "head.input", shape.element * shape.tokens * h, Split::sequence);
  lower_logits(s, shape, b, false);
}

}  // namespace planner
