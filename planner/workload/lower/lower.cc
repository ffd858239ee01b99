// A Transformer layer: attention, MLP, residuals and norms. The ends of the model are in ends.cc.
#include "planner/workload/lower/builder.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// Bias, dropout and residual after a sublayer; backward adds the residual's gradient to the branch's `gradients`.
struct Residual {
  Label name;
  Role role, bias;  // `bias`: of the linear layer whose result is added
  SavedRole mask;
};
constexpr Residual kBehindAttention{"attention", Role::attention_residual, Role::attention_output,
                                    SavedRole::attention_residual_mask};
constexpr Residual kBehindMlp{"mlp", Role::mlp_residual, Role::fc2, SavedRole::mlp_residual_mask};

// `stream`: where the branch began.
void close_residual(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Residual& r, int stream,
                    double gradients = 1) {
  const double a = shape.element, elements = shape.tokens * static_cast<double>(shape.hidden);
  const double mask = s.model.dropout > 0 ? s.software.memory.dropout_mask : 0;
  b.in(Sublayer::residual);
  const VectorSpec add{.elements = elements, .read = 2 * a, .written = a};
  const Dropout dropout{r.role, r.name + ".dropout", elements, Split::sequence};
  const Strands branched{{stream, Returns::through}};
  if (s.software.fusion.bias_dropout_add) {
    b.flow().join(branched);
    b.vector(r.role, r.name + ".dropout-add", Split::sequence, StepPhase::forward,
             {.elements = elements, .read = 2 * a, .written = a + mask, .flops = 3});
  } else {
    if (s.model.bias)
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
  if (s.model.post_norm) lower_norm(s, shape, b, norm, shape.tokens, Split::sequence);
}

// With three projections of one input, three gradients come back to it.
double gradients_of_input(const Scenario& s) {
  const bool separate = !s.software.fusion.qkv && !s.software.fusion.fan_out && s.model.latent.rank == 0;
  return separate ? 3 : 1;
}

Label layer_name(const LayerKind& kind, size_t kinds) {
  Label name = "layer";
  if (kinds > 1 && kind.experts) name = name + ".experts";
  if (kinds > 1 && kind.windowed) name = name + ".windowed";
  return name;
}

std::vector<Block> blocks_of(const Model& m, bool predictions) {
  const std::vector<LayerKind> kinds = layer_kinds(m);
  std::vector<Block> blocks;
  blocks.push_back({.kind = BlockKind::embedding, .layer = {}, .name = "embedding"});
  for (const LayerKind& kind : kinds)
    blocks.push_back({.kind = BlockKind::layer, .layer = kind, .name = layer_name(kind, kinds.size())});
  if (predictions) blocks.push_back({.kind = BlockKind::prediction, .layer = kinds.back(), .name = "prediction"});
  blocks.push_back({.kind = BlockKind::head, .layer = {}, .name = "head"});
  return blocks;
}

void lower_block(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  if (!s.model.operators.empty()) return lower_fixed(s, shape, block, b);
  if (block.kind == BlockKind::embedding) lower_embedding(s, shape, b);
  if (block.kind == BlockKind::layer) lower_layer(s, shape, block, b);
  if (block.kind == BlockKind::prediction) lower_prediction(s, shape, block, b);
  if (block.kind == BlockKind::head) lower_head(s, shape, b);
}

}  // namespace

void lower_mlp(const Scenario& s, const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp) {
  const double tokens = mlp.rows * static_cast<double>(mlp.experts);
  if (mlp.keeps_input)
    b.save(mlp.input, mlp.name + ".input", shape.saved_input * tokens * static_cast<double>(shape.hidden),
           Split::sequence)
        .gathered = mlp.enters;
  b.linear({.name = mlp.name + ".fc1",
            .role = Role::fc1,
            .rows = mlp.rows,
            .in = shape.hidden,
            .out = s.model.gated_mlp ? 2 * mlp.ffn : mlp.ffn,
            .split = Split::column,
            .bias = s.model.bias,
            .separate_bias = !s.software.fusion.bias_activation,
            .precision = shape.linear,
            .enters = mlp.enters,
            .experts = mlp.experts,
            .raw_input = mlp.raw_input});
  lower_activation(s, shape, b, mlp);
  b.linear({.name = mlp.name + ".fc2",
            .role = Role::fc2,
            .rows = mlp.rows,
            .in = mlp.ffn,
            .out = shape.hidden,
            .split = Split::row,
            .bias = s.model.bias,
            .precision = shape.linear,
            .leaves = mlp.leaves,
            .experts = mlp.experts});
}

void lower_layer(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  b.in(Sublayer::residual);
  int stream = b.flow().fork();
  lower_norm(s, shape, b, {"attention.norm", Role::attention_norm, SavedRole::layer_input}, shape.tokens,
             Split::sequence);
  const Strands normed = b.flow().here();
  lower_attention(s, shape, b, block.layer);
  post_norm(s, shape, b, {"attention.post-norm", Role::attention_post_norm, SavedRole::attention_result});
  const bool own_region = !s.model.parallel_block;
  Strands beside;  // the result of attention, where the MLP runs beside it
  if (own_region) {
    close_residual(s, shape, b, kBehindAttention, stream, gradients_of_input(s));
    stream = b.flow().fork();
    lower_norm(s, shape, b, {"mlp.norm", Role::mlp_norm, SavedRole::middle_stream}, shape.tokens, Split::sequence);
  } else {
    beside = b.flow().here();
    b.flow().from(normed);
  }
  if (block.layer.experts) {
    lower_mixture(s, shape, b);
  } else {
    b.in(Sublayer::mlp);
    lower_mlp(s, shape, b,
              {.name = "mlp",
               .rows = shape.tokens,
               .ffn = s.model.ffn,
               .enters = own_region,
               .leaves = own_region,
               .keeps_input = own_region});
  }
  post_norm(s, shape, b, {"mlp.post-norm", Role::mlp_post_norm, SavedRole::mlp_result});
  b.flow().join(beside);
  close_residual(s, shape, b, kBehindMlp, stream);
  block.input_bytes = shape.element * shape.tokens * static_cast<double>(shape.hidden);
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
