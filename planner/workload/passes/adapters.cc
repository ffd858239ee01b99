// Low-rank adapters (LoRA: Hu et al. 2021, arXiv:2106.09685, section 4.1): y = W x + (alpha/r) B A x, W frozen.
//
// A frozen weight has no gradient: what computes, adds up or keeps something for one goes. Data gradients stay, but
// none reaches the embedding. Beside each targeted layer stand A (in x r) and B (r x out), trained.
//
// Shards are those of Megatron-Bridge (peft/utils.py, ParallelLinearAdapter; NeMo's class of that name): beside a
// column layer A divides its r columns and gathers its output, beside a row layer it divides its rows and sums it;
// B divides its columns, which a row layer gathers. A works on the gathered input, and keeps it.
// Runs behind the passes that deal out tokens and experts: an adapter sees what its layer sees.
#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "planner/workload/insert.h"
#include "planner/workload/lower/builder.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

bool has_adapter(const Scenario& s, const WorkOp& w) {
  if (w.phase != StepPhase::forward || !std::holds_alternative<Gemm>(w.op)) return false;
  if (w.split == Split::heads) return false;  // scores and context
  const LoraTargets targets = s.job.lora.targets;
  if (w.sublayer != Sublayer::attention)
    return (targets == LoraTargets::all || targets == LoraTargets::mlp) && (w.role == Role::fc1 || w.role == Role::fc2);
  if (w.role == Role::attention_output) return targets == LoraTargets::attention || targets == LoraTargets::all;
  return targets != LoraTargets::mlp && (targets != LoraTargets::qv || w.role != Role::key);
}

// Bytes of a layer's frozen weight.
double held_bytes(const Scenario& s) {
  const double quantised = row_of(s.job.lora.base).bytes;
  return quantised > 0 ? quantised : s.software.memory.frozen;
}

constexpr double kHeldNarrow = 1.2;  // bytes held over bytes computed with: scales of blocks

// A frozen weight that is held as narrow as its layer computes was cast when it was loaded.
bool casts_held_weight(const Scenario& s, const WorkOp& w) {
  const auto* v = std::get_if<Vector>(&w.op);
  return v && v->kind == VectorKind::cast && w.of_weights &&
         held_bytes(s) <= kHeldNarrow * operand_bytes(s.job.precision);
}

// Activations that are kept as the input of a linear layer and for nothing else (but the context, which fused
// attention reads again). A layer's input is the first of its rows that the block has.
struct KeptInput {
  std::initializer_list<Role> layers;
  SavedRole saved;
};
constexpr KeptInput kInputs[] = {
    {{Role::query_up}, SavedRole::query_latent_normed},
    {{Role::qkv, Role::query, Role::key, Role::value, Role::query_down, Role::key_value_down, Role::query_up},
     SavedRole::attention_input},
    {{Role::key_value_up}, SavedRole::key_value_latent_normed},
    {{Role::attention_output}, SavedRole::context},
    {{Role::fc1}, SavedRole::router_input},  // of shared experts
    {{Role::fc1}, SavedRole::mlp_input},
    {{Role::fc1}, SavedRole::expert_input},
    {{Role::fc1}, SavedRole::attention_input},  // side by side with attention
    {{Role::fc2}, SavedRole::activated},
    {{Role::logits}, SavedRole::head_input},
    {{Role::prediction_projection}, SavedRole::prediction_input},
};

Saved* input_of(Block& block, const WorkOp& layer) {
  for (const KeptInput& row : kInputs) {
    if (std::ranges::find(row.layers, layer.role) == row.layers.end()) continue;
    for (Saved& saved : block.saved)
      if (saved.role == row.saved && saved.routed == layer.routed) return &saved;
  }
  return nullptr;
}

// Adapters work in 16 bits where their layers work in eight. REQUIRES: the block's operators are those of `lower`.
void keep_inputs(const Scenario& s, const MicrobatchShape& shape, Block& block) {
  std::set<std::pair<SavedRole, bool>> kept;  // and whether it is of routed experts
  for (const WorkOp& w : block.ops) {
    Saved* input = has_adapter(s, w) ? input_of(block, w) : nullptr;
    if (!input) continue;
    const Gemm& g = std::get<Gemm>(w.op);
    input->bytes = shape.element * static_cast<double>(g.batch) * static_cast<double>(g.n) * static_cast<double>(g.k);
    if (w.split == Split::column) input->split = Split::none;
    kept.emplace(input->role, input->routed);
  }
  std::erase_if(block.saved, [&](const Saved& saved) {
    const bool input = std::ranges::any_of(kInputs, [&](const KeptInput& row) { return saved.role == row.saved; });
    const bool read_again = saved.role == SavedRole::context && !attends_unfused(s);
    return input && !read_again && !kept.contains({saved.role, saved.routed});
  });
  if (block.kind == BlockKind::embedding) block.saved.clear();
}

/// An adapter under construction: a block of its own, put into its layer's when it is whole.
class Adapter {
 public:
  /// `products`: of its future block.
  Adapter(const Scenario& s, const MicrobatchShape& shape, const WorkOp& base, int products)
      : base_(base),
        products_(products),
        gemm_(std::get<Gemm>(base.op)),
        element_(shape.element),
        rank_(s.job.lora.rank),
        group_(base.routed ? expert_tensor_group(s) : tensor_group(s)),
        gathers_gradient_(splits_tokens(s.parallelism)),
        precision_(shape.router),
        builder_(block_, shape) {}

  Block build() {
    builder_.in(base_.sublayer).routed(base_.routed);
    const int input = builder_.flow().fork();
    down();
    up();
    add(input);
    builder_.link();
    for (WorkOp& w : block_.ops) {
      w.adapter = true;
      if (w.product > 0) w.product += products_;
    }
    for (Weight& w : block_.weights) w.role = Role::none;  // its layer's is another's
    return std::move(block_);
  }

 private:
  bool row() const { return base_.split == Split::row; }
  bool own_tokens() const { return base_.split == Split::sequence; }
  double elements(int64_t features) const {
    return static_cast<double>(gemm_.batch) * static_cast<double>(gemm_.n) * static_cast<double>(features);
  }
  void linear(const Label& name, int64_t in, int64_t out, Split split) {
    builder_.linear({.name = base_.name + name,
                     .role = base_.role,
                     .rows = static_cast<double>(gemm_.n),
                     .in = in,
                     .out = out,
                     .split = split,
                     .precision = precision_,
                     .experts = gemm_.batch});
  }
  void send(const Label& name, StepPhase phase, CollectiveKind kind, int64_t features) {
    if (group_.ranks == 1 || own_tokens()) return;
    builder_
        .add(base_.role, base_.name + name, phase,
             Collective{.kind = kind, .bytes = {element_ * elements(features)}, .group = group_}, Split::none)
        .purpose = Purpose::tp;
  }
  void down() {
    linear(".lora-a", gemm_.k, rank_, base_.split);
    if (row()) send(".lora-a.all-reduce", StepPhase::forward, CollectiveKind::all_reduce, rank_);
    else send(".lora-a.all-gather", StepPhase::forward, CollectiveKind::all_gather, rank_);
    builder_.save(SavedRole::adapter_output, base_.name + ".lora-a.output", element_ * elements(rank_),
                  own_tokens() ? Split::sequence : Split::none);
  }
  void up() {
    linear(".lora-b", rank_, gemm_.m, own_tokens() ? Split::sequence : Split::column);
    send(".lora-b.dgrad.all-reduce", StepPhase::backward, CollectiveKind::all_reduce, rank_);
    if (!row() || base_.routed) return;  // the sum that follows the experts takes a rank's columns as they are
    send(".lora-b.all-gather", StepPhase::forward, CollectiveKind::all_gather, gemm_.m);
    if (gathers_gradient_) send(".lora-b.all-gather", StepPhase::backward, CollectiveKind::all_gather, gemm_.m);
  }
  // Forward the scaled result joins the layer's, backward the gradients of their common input are summed.
  void add(int common_input) {
    const Split output = base_.split == Split::column ? Split::column : Split::sequence;
    const Split input = row() ? Split::column : own_tokens() ? Split::sequence : Split::none;
    builder_.vector(base_.role, base_.name + ".lora-add", output, StepPhase::forward, sum(gemm_.m, 2));
    builder_.flow().at(common_input);
    builder_.vector(base_.role, base_.name + ".lora-add", input, StepPhase::backward, sum(gemm_.k, 1));
  }
  VectorSpec sum(int64_t features, double flops) const {
    return {.elements = elements(features), .read = 2 * element_, .written = element_, .flops = flops};
  }

  const WorkOp& base_;
  int products_;
  const Gemm gemm_;
  double element_;
  int64_t rank_;
  Group group_;
  bool gathers_gradient_;
  Precision precision_;
  Block block_;
  BlockBuilder builder_;
};

/// What a layer or its gradient reads, before a cast to fewer bits.
Numbers wide_inputs(Inserter& put, int at) {
  Numbers inputs;
  for (int input : put[at].inputs) {
    const auto* v = input >= 0 ? std::get_if<Vector>(&put[input].op) : nullptr;
    const bool cast = v && v->kind == VectorKind::cast;
    if (!cast) inputs.push_back(input);
    else if (!put[input].of_weights) inputs.append(put[input].inputs.data(), put[input].inputs.size());
  }
  return inputs;
}

// One phase of an adapter behind its layer, whose last operator adds the two results.
void put_beside(Inserter& put, int layer, const Block& adapter, std::vector<int>& numbers) {
  const StepPhase phase = put[layer].phase;
  const Numbers inputs = wide_inputs(put, layer), readers = put.readers_of({layer}, phase);
  int sum = put.size() - 1;
  for (size_t i = 0; i < adapter.ops.size(); ++i)
    if (adapter.ops[i].phase == phase) numbers[i] = ++sum;
  for (size_t i = 0; i < adapter.ops.size(); ++i) {
    if (adapter.ops[i].phase != phase) continue;
    WorkOp w = adapter.ops[i];
    w.result = false;
    if (w.forward >= 0) w.forward = numbers[static_cast<size_t>(w.forward)];
    w.inputs.clear();
    for (int input : adapter.ops[i].inputs)
      if (input >= 0) w.inputs.push_back(numbers[static_cast<size_t>(input)]);
      else w.inputs.append(inputs.data(), inputs.size());
    put.add(std::move(w), layer);
  }
  put.replace(readers, {layer}, sum);
  put.read_also(sum, layer);
}

// The gradients of frozen weights and of the embedding's rows are not needed.
void drop_unused(const Scenario& s, Block& block) {
  std::vector<bool> gone;
  for (const WorkOp& w : block.ops) {
    const bool unused = block.kind == BlockKind::embedding && w.phase == StepPhase::backward;
    gone.push_back(unused || ends_in_weights(w) || casts_held_weight(s, w));
  }
  remove_ops(block, gone);
}

int data_gradient_of(Inserter& put, int product) {
  for (int i = 0; i < put.size(); ++i)
    if (put[i].data_gradient && put[i].product == product) return i;
  return -1;
}

// Puts an adapter beside each layer that is to have one.
void adapt(const Scenario& s, const MicrobatchShape& shape, Block& block) {
  int products = 0;
  for (const WorkOp& w : block.ops) products = std::max(products, w.product);
  Inserter put(block);
  for (int i = 0, old = put.size(); i < old; ++i) {
    if (!has_adapter(s, put[i])) continue;
    const WorkOp base = put[i];
    const Block adapter = Adapter(s, shape, base, products).build();
    products += 2;
    std::vector<int> numbers(adapter.ops.size(), -1);
    put_beside(put, i, adapter, numbers);
    const int gradient = data_gradient_of(put, base.product);
    if (gradient >= 0) put_beside(put, gradient, adapter, numbers);
    block.weights.insert(block.weights.end(), adapter.weights.begin(), adapter.weights.end());
    block.saved.insert(block.saved.end(), adapter.saved.begin(), adapter.saved.end());
  }
  put.finish();
}

constexpr double kWide = 2;  // bytes of a widened weight

// Whether a product reads a weight of the model that is held in fewer bits than it computes with.
bool widens_for(const WorkOp& w) {
  const bool product = w.product > 0 && std::holds_alternative<Gemm>(w.op) && !w.adapter && w.split != Split::heads;
  return product && (w.phase == StepPhase::forward || w.data_gradient);
}

// Gate and first matrix of an MLP are layers of their own in the libraries that quantise.
double layers_in(const Scenario& s, const WorkOp& product) {
  return product.role == Role::fc1 && s.model.gated_mlp ? 2 : 1;
}

// For each layer a kernel, `layers` of them.
WorkOp widened(const WorkOp& product, double held, double layers) {
  const Gemm& g = std::get<Gemm>(product.op);
  const double elements = static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.k) / layers;
  return {
      .name = product.name + ".dequantise",
      .role = product.role,
      .phase = product.phase,
      .sublayer = product.sublayer,
      .op =
          Vector{
              .kind = VectorKind::cast, .elements = elements, .read = {held * elements}, .written = {kWide * elements}},
      .count = product.count * layers,
      .split = product.split == Split::sequence ? Split::none : product.split,  // its weight is whole
      .routed = product.routed,
      .of_weights = true,
      .widens = true};
}

// Linear layers of quantised weights (Dettmers et al. 2023, arXiv:2305.14314, equations 5 and 6; bitsandbytes,
// autograd/_functions.py, MatMul4Bit): each product, and each data gradient, works on a 16-bit copy that lives as long
// as it runs. Embedding and head are not such layers.
void widen(const Scenario& s, Block& block) {
  const double held = row_of(s.job.lora.base).bytes;
  const bool computes_so = held == operand_bytes(s.job.precision);
  if (held == 0 || computes_so || block.kind != BlockKind::layer) return;
  Inserter put(block);
  Saved widest{.name = "dequantised"};
  for (int i = 0, old = put.size(); i < old; ++i) {
    if (!widens_for(put[i])) continue;
    WorkOp w = widened(put[i], held, layers_in(s, put[i]));
    const double bytes = std::get<Vector>(w.op).written.value;
    if (bytes > widest.bytes) {
      widest.bytes = bytes;
      widest.split = w.split;
      widest.routed = w.routed;
    }
    const int number = put.add(std::move(w), i);
    put.read_also(i, number);
  }
  put.finish();
  block.moments.push_back({.name = "dequantised", .phase = StepPhase::backward, .alive = {widest}});
}

// A narrow activation is written once: its transpose was for the weight gradient.
void halve_casts(Block& block) {
  for (WorkOp& w : block.ops) {
    auto* v = std::get_if<Vector>(&w.op);
    if (v && v->kind == VectorKind::cast && !w.of_weights) v->written = 0.5 * v->written;
  }
}

}  // namespace

void apply_adapters(const Scenario& s, Workload& w) {
  if (s.job.lora.rank == 0) return;
  const MicrobatchShape shape = shape_of(s);
  for (Block& block : w.blocks) {
    for (Weight& weight : block.weights) weight.frozen = true;
    keep_inputs(s, shape, block);
    drop_unused(s, block);
    adapt(s, shape, block);
    widen(s, block);
    halve_casts(block);
  }
}

}  // namespace planner
