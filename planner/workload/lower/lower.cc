// A Transformer layer: attention, MLP, residuals and norms. The ends of the model are in ends.cc.
#include "planner/workload/lower/builder.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// Bias, dropout and residual after a sublayer; backward adds the residual's gradient to the branch's `gradients`.
struct ResidualEnd {
  Label name;
  Role role, bias;  // `bias`: of the linear layer whose result is added
  SavedRole mask;
};
constexpr ResidualEnd kBehindAttention{"attention", Role::attention_residual, Role::attention_output,
                                       SavedRole::attention_residual_mask};
constexpr ResidualEnd kBehindMlp{"mlp", Role::mlp_residual, Role::fc2, SavedRole::mlp_residual_mask};

// `stream`: where the branch began.
void close_residual(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const ResidualEnd& r, int stream,
                    double gradients = 1) {
  const double a = shape.element, elements = shape.tokens * static_cast<double>(shape.hidden);
  const double mask = shape.model->dropout > 0 ? s.software.memory.dropout_mask : 0;
  b.in(Sublayer::residual);
  const VectorSpec add{.elements = elements, .read = 2 * a, .written = a};
  const Dropout dropout{r.role, r.name + ".dropout", elements, Split::sequence};
  const Strands branched{{stream, Returns::through}};
  if (s.software.fusion.bias_dropout_add) {
    b.flow().join(branched);
    b.vector(r.role, r.name + ".dropout-add", Split::sequence, StepPhase::forward,
             {.elements = elements, .read = 2 * a, .written = a + mask, .flops = 3});
  } else {
    if (shape.model->bias)
      b.vector(r.bias, r.name + ".bias", Split::sequence, StepPhase::forward,
               {.elements = elements, .read = a, .written = a});
    if (mask > 0) lower_dropout(s, shape, b, dropout, StepPhase::forward);
    b.flow().join(branched);
    b.vector(r.role, r.name + ".add", Split::sequence, StepPhase::forward, add);
  }
  if (mask > 0) {
    lower_dropout(s, shape, b, dropout, StepPhase::backward);
    b.save(r.mask, r.name + ".dropout-mask", mask * elements, Split::sequence);
  }
  b.flow().at(stream);
  b.vector(r.role, r.name + ".add", Split::sequence, StepPhase::backward, add);
  b.last().count = gradients;
}

void post_norm(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm) {
  if (shape.model->post_norm) lower_norm(s, shape, b, norm, shape.tokens, Split::sequence);
}

// Steps that read the layer's input: the first, and those that say so.
double readers_of_input(const LayerRow& row) {
  double readers = 0;
  for (const LayerStep& step : row.steps)
    if (step.kind != StepKind::weights && (readers == 0 || step.reads == StepInput::input)) ++readers;
  return readers;
}

// From each projection of its own a gradient comes back to the input: of queries, keys and values, or as many steps.
double gradients_of_input(const Scenario& s, const MicrobatchShape& shape) {
  if (s.software.fusion.qkv || s.software.fusion.fan_out) return 1;
  if (shape.row && shape.row->mixer == Mixer::steps) return readers_of_input(*shape.row);
  if (shape.model->latent.rank > 0) return 1;
  return shape.row && shape.row->shared_values ? 2 : 3;
}

Label layer_name(const Model& m, const LayerKind& kind, size_t kinds) {
  Label name = "layer";
  if (const LayerRow* row = layer_row(m, kind)) return name + "." + Label(row->name.empty() ? row->letter : row->name);
  if (kinds > 1 && kind.experts) name = name + ".experts";
  if (kinds > 1 && kind.windowed) name = name + ".windowed";
  return name;
}

std::vector<Block> blocks_of(const Model& m, bool predictions) {
  const std::vector<LayerKind> kinds = layer_kinds(m);
  std::vector<Block> blocks;
  blocks.push_back({.kind = BlockKind::embedding, .name = "embedding"});
  for (const LayerKind& kind : kinds)
    blocks.push_back({.kind = BlockKind::layer, .layer = kind, .name = layer_name(m, kind, kinds.size())});
  if (predictions) blocks.push_back({.kind = BlockKind::prediction, .name = "prediction"});
  blocks.push_back({.kind = BlockKind::head, .name = "head"});
  return blocks;
}

void lower_block(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  if (!shape.model->operators.empty()) return lower_fixed(s, shape, block, b);
  if (block.kind == BlockKind::embedding) lower_embedding(s, shape, b);
  if (block.kind == BlockKind::layer) lower_layer(s, shape, block, b);
  if (block.kind == BlockKind::prediction) lower_prediction(s, shape, block, b);
  if (block.kind == BlockKind::head) lower_head(s, shape, b);
}

/// A kernel that combines residual streams: what it reads and writes of each element, and its FLOPs.
struct StreamKernel {
  double elements = 0, read = 0, written = 0, flops = 0;
};

// Backward reads what forward read and the gradient of what it wrote.
void combine_streams(BlockBuilder& b, const Label& name, const StreamKernel& k) {
  constexpr auto kKind = operator_models::VectorKind::hyper_connection;
  b.vector(Role::stream_mix, name, Split::sequence,
           {.kind = kKind, .elements = k.elements, .read = k.read, .written = k.written, .flops = k.flops},
           {.read = k.read + k.written, .written = k.read, .flops = 2 * k.flops});
}

// Streams are mixed into what a part reads, and what it wrote goes to all of them (hyper-connections, arXiv:2409.19606,
// figure 2; Sinkhorn's scaling of the small matrices is part of the kernel).
void mix_streams(const MicrobatchShape& shape, BlockBuilder& b, const Label& name, bool before) {
  const double n = shape.row ? static_cast<double>(shape.row->streams) : 1;
  if (n == 1) return;
  const double a = shape.element, elements = n * shape.tokens * static_cast<double>(shape.hidden);
  const double read = before ? a : a * (1 + 1 / n), written = before ? a / n : a;
  combine_streams(b, name, {elements, read, written, 4 * n});
  if (!before) return;
  b.weight(name, n * static_cast<double>(shape.hidden) * (2 * n + n * n), Split::none);
  b.save(SavedRole::streams, name + ".input", a * (elements - elements / n), Split::sequence);
}

// Scores of all sums of earlier parts and their weighted mean, one kernel (Attention Residuals, arXiv:2603.15031,
// section 3.2: a query of the part, keys that are the normed sums, values that are the sums).
void attend_residuals(const MicrobatchShape& shape, BlockBuilder& b, const Label& name) {
  if (!shape.row || shape.row->residual_block == 0) return;
  const double n = attended_sums(*shape.model, *shape.row), a = shape.element;
  const double sum = shape.tokens * static_cast<double>(shape.hidden);
  combine_streams(b, name, {n * sum, a, a / n, 6});
  b.weight(name, 2 * static_cast<double>(shape.hidden), Split::none);
  // A finished sum is kept once, by the part that ends it.
  b.save(SavedRole::streams, name + ".input", a * sum / static_cast<double>(shape.row->residual_block),
         Split::sequence);
}

// The mixer, behind its norm. Returns what the norm wrote: an MLP beside attention reads it too.
Strands lower_mixer(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  mix_streams(shape, b, "attention.streams-in", true);
  attend_residuals(shape, b, "attention.residuals");
  lower_norm(s, shape, b, {"attention.norm", Role::attention_norm, SavedRole::layer_input}, shape.tokens,
             Split::sequence);
  Strands normed = b.flow().here();
  if (shape.row && shape.row->mixer == Mixer::steps) lower_steps(shape, b);
  else lower_attention(s, shape, b, block.layer);
  post_norm(s, shape, b, {"attention.post-norm", Role::attention_post_norm, SavedRole::attention_result});
  mix_streams(shape, b, "attention.streams-out", false);
  return normed;
}

void lower_feed_forward(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b,
                        bool own_region) {
  if (block.layer.experts) {
    lower_mixture(s, shape, b);
  } else {
    b.in(Sublayer::mlp);
    lower_mlp(s, shape, b,
              {.name = "mlp",
               .rows = shape.tokens,
               .ffn = shape.model->ffn,
               .enters = own_region,
               .leaves = own_region,
               .keeps_input = own_region});
  }
  post_norm(s, shape, b, {"mlp.post-norm", Role::mlp_post_norm, SavedRole::mlp_result});
  mix_streams(shape, b, "mlp.streams-out", false);
}

// Both parts, or the one that the kind has. The first norm reads the layer's input.
void lower_parts(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  const bool mixes = !shape.row || shape.row->mixer != Mixer::none;
  const bool feeds = !shape.row || shape.row->feed_forward != FeedForward::none;
  b.in(Sublayer::residual);
  int stream = b.flow().fork();
  const bool own_region = !shape.model->parallel_block || !mixes || !feeds;
  const SavedRole before = mixes ? SavedRole::middle_stream : SavedRole::layer_input;
  Strands beside;  // the result of attention, where the MLP runs beside it
  if (mixes) {
    const Strands normed = lower_mixer(s, shape, block, b);
    if (own_region) {
      close_residual(s, shape, b, kBehindAttention, stream, gradients_of_input(s, shape));
      if (feeds) stream = b.flow().fork();
    } else {
      beside = b.flow().here();
      b.flow().from(normed);
    }
  }
  if (!feeds) return;
  mix_streams(shape, b, "mlp.streams-in", true);
  attend_residuals(shape, b, "mlp.residuals");
  if (own_region) lower_norm(s, shape, b, {"mlp.norm", Role::mlp_norm, before}, shape.tokens, Split::sequence);
  lower_feed_forward(s, shape, block, b, own_region);
  b.flow().join(beside);
  close_residual(s, shape, b, kBehindMlp, stream);
}

}  // namespace

void lower_mlp(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp) {
  const double tokens = mlp.rows * static_cast<double>(mlp.experts);
  const int64_t width = mlp.width > 0 ? mlp.width : shape.hidden;
  if (mlp.keeps_input)
    b.save(mlp.input, mlp.name + ".input", shape.saved_input * tokens * static_cast<double>(width), Split::sequence)
        .gathered = mlp.enters;
  b.linear({.name = mlp.name + ".fc1",
            .role = Role::fc1,
            .rows = mlp.rows,
            .in = width,
            .out = shape.model->gated_mlp ? 2 * mlp.ffn : mlp.ffn,
            .split = Split::column,
            .bias = shape.model->bias,
            .separate_bias = !s.software.fusion.bias_activation,
            .enters = mlp.enters,
            .experts = mlp.experts,
            .raw_input = mlp.raw_input});
  lower_activation(s, shape, b, mlp);
  b.linear({.name = mlp.name + ".fc2",
            .role = Role::fc2,
            .rows = mlp.rows,
            .in = mlp.ffn,
            .out = width,
            .split = Split::row,
            .bias = shape.model->bias,
            .leaves = mlp.leaves,
            .experts = mlp.experts});
}

void lower_layer(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  block.input_bytes = shape.bytes(shape.hidden);
  const LayerRow* row = layer_row(s.model, block.layer);
  if (!row) return lower_parts(s, shape, block, b);
  const Model own = layer_model(s.model, block.layer);
  MicrobatchShape of_row = shape;
  of_row.model = &own;
  of_row.row = row;
  if (row->expert_width > 0) block.routed_width = row->expert_width;
  block.input_bytes *= static_cast<double>(row->streams);
  lower_parts(s, of_row, block, b);
}

Workload lower(const Scenario& s) {
  const MicrobatchShape shape = shape_of(s);
  Workload w;
  w.width_bytes = shape.element;
  w.blocks = blocks_of(s.model, prediction_layers(s) > 0);
  for (Block& block : w.blocks) {
    BlockBuilder b(block, shape);
    lower_block(s, shape, block, b);
    b.link();
  }
  return w;
}

}  // namespace planner
