// Writing one block: small helpers that keep the lowering readable.
#pragma once

#include <optional>
#include <utility>

#include "operator_models/models.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/lower/flow.h"
#include "planner/workload/role.h"
#include "planner/workload/workload.h"

namespace planner {

/// Sizes of one microbatch that every lowering function needs.
struct MicrobatchShape {
  double tokens = 0;  // microbatch * sequence
  int64_t batch = 0, sequence = 0, hidden = 0;
  double element = 2;                     // bytes of an activation
  double saved_input = 2;                 // of a linear layer's input kept for its weight gradient (fp8: the cast copy)
  double gradient = 4;                    // bytes of an element of the gradient buffer
  bool accumulate = true;                 // weight-gradient GEMMs add into that buffer
  bool add_gradients = false;             // a separate kernel adds them
  bool cast_gradients = false;            // after another that widens them
  double weight_casts = 1;                // casts of a weight per microbatch (narrow precisions)
  bool norm_casts = true;                 // a norm writes the narrow input of the layer behind it
  double cast_reads = 2;                  // bytes a cast reads per element: twice if the scale needs a separate pass
  Precision linear = Precision::bf16;     // precision of the linear layers
  Precision attention = Precision::bf16;  // of attention (eight bits cover linear layers only, unless set)
  Precision head = Precision::bf16;       // of the logits
  Precision router = Precision::bf16;     // of an expert mixture and of its gates: never below 16 bits
  const Model* model = nullptr;           // as the layer sees it that is being written
  const LayerRow* row = nullptr;          // of its kind, where the model has a pattern

  /// Bytes of an activation of `values` values per token, and of one that is kept for a weight gradient.
  double bytes(int64_t values) const { return element * tokens * static_cast<double>(values); }
  double input_bytes(int64_t values) const { return saved_input * tokens * static_cast<double>(values); }
};
MicrobatchShape shape_of(const Scenario& scenario);
/// fp32 and tf32 jobs hold and send fp32 values only: no master copies.
bool is_wide(Precision p);

using operator_models::operand_bytes;

struct VectorSpec {
  operator_models::VectorKind kind = operator_models::VectorKind::elementwise;
  double elements = 0;           // of the largest operand
  double read = 0, written = 0;  // bytes per element
  double flops = 1;              // per element
  int64_t width = 0;             // elements of a row that is reduced (norms, softmax); 0: none is
  bool backward = false;         // a kernel whose backward pass has a different rate in the calibration
};

/// The backward kernel's work for the same number of elements.
struct VectorGradient {
  double read = 0, written = 0, flops = 1;
  bool backward = false;  // as of VectorSpec
};

/// GEMM shapes are written as BLAS sees them (column-major: m = out, n = rows, k = in), the order of
/// Pati 2024, Table 4.3.
struct Linear {
  Label name;
  Role role = Role::none;
  double rows = 0;  // tokens it sees; 0: those of the microbatch
  int64_t in = 0, out = 0;
  Split split = Split::none;  // column: `out` is divided; row: `in`
  bool bias = false;
  bool separate_bias = false;               // the bias is a separate kernel, not the GEMM's epilogue
  bool tied = false;                        // its weight is the embedding's
  bool owns = true;                         // else its weight is another block's
  std::optional<Precision> precision = {};  // absent: that of the linear layers
  bool enters = false, leaves = false;      // boundary of a tensor-parallel region
  int64_t experts = 1;                      // number of experts, `rows` tokens each
  bool raw_input = false;                   // no norm before it that could write a narrow input itself
  int independent = 0;
};

/// A block under construction, in the sublayer set last.
class BlockBuilder {
 public:
  /// REQUIRES: the block is empty.
  BlockBuilder(Block& block, const MicrobatchShape& shape);

  BlockBuilder& in(Sublayer s) { return sublayer_ = s, *this; }

  /// A linear layer: forward, data gradient and weight gradient; its weight.
  void linear(Linear l);
  /// A batched GEMM of unfused attention: forward and its two gradients.
  struct BatchedGemm {
    int64_t m = 0, n = 0, k = 0;
  };
  void batched(Role role, const Label& name, int64_t batch, const BatchedGemm& forward,
               const BatchedGemm& first_gradient, const BatchedGemm& second_gradient);
  /// A memory-bound kernel forward and one backward; both alike if no gradient is given.
  void vector(Role role, const Label& name, Split split, const VectorSpec& forward, const VectorGradient& gradient);
  void vector(Role role, const Label& name, Split split, const VectorSpec& both);
  void vector(Role role, const Label& name, Split split, StepPhase phase, const VectorSpec& spec);
  void weight(const Label& name, double parameters, Split split, bool tied = false);
  Saved& save(SavedRole role, const Label& name, double bytes, Split split);
  void moment(const Label& name, StepPhase phase, std::vector<Saved> alive);
  void keep(const Label& name, double bytes, Split split);
  template <class Op> WorkOp& add(Role role, const Label& name, StepPhase phase, const Op& op, Split split) {
    WorkOp& w = add(role, name, phase, split);
    w.op = op;
    return w;
  }
  /// Forward, and the same kernel backward.
  template <class Op> void both_ways(Role role, const Label& name, Op op, Split split) {
    add(role, name, StepPhase::forward, op, split);
    op.backward = true;
    add(role, name, StepPhase::backward, op, split);
  }
  WorkOp& last() { return block_.ops.back(); }
  void routed(bool on) { routed_ = on; }
  /// The current inputs of operators.
  Flow& flow() { return flow_; }
  /// Gives every operator its producers, when the last one is written.
  void link() { flow_.link(block_.ops); }

 private:
  WorkOp& add(Role role, const Label& name, StepPhase phase, Split split);
  void quantize(const Linear& l, double operand);
  void add_gradient(const Linear& l, double parameters);
  Block& block_;
  const MicrobatchShape& shape_;
  Flow flow_;
  Sublayer sublayer_ = Sublayer::attention;
  bool routed_ = false;
  int products_ = 0;  // so far
};

// The sublayers, one function each (attention.cc, ends.cc, lower.cc).
void lower_attention(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const LayerKind& kind);
/// Keys that represent several tokens, and the choice among keys; nothing if the kind of the layer, `shape.row`, has
/// neither.
void lower_key_choice(const MicrobatchShape& shape, BlockBuilder& b);
void lower_embedding(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b);
void lower_head(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b);
/// Projections of multi-head latent attention, up to queries, keys and values of every head (latent.cc).
void lower_latent(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b);
/// Rotary positions of `elements` values of queries and keys.
void lower_rope(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, double elements);
/// Queries in two steps with a norm between them: `rank` values of a token, then `width`.
void lower_narrow_queries(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, int64_t rank,
                          int64_t width);
/// Router, routed and shared experts in place of the MLP (mixture.cc).
void lower_mixture(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b);
/// A prediction layer (DeepSeek-V3): joins the stream with the next token's embedding, runs a layer and the head.
void lower_prediction(const Scenario& scenario, const MicrobatchShape& shape, Block& block, BlockBuilder& b);
/// The steps of a kind of layers, one after another (steps.cc).
void lower_steps(const MicrobatchShape& shape, BlockBuilder& b);
/// One layer, from its norm to its last residual.
void lower_layer(const Scenario& scenario, const MicrobatchShape& shape, Block& block, BlockBuilder& b);
/// The layer of a model that is a fixed list of operators (fixed.cc); its other blocks stay empty.
void lower_fixed(const Scenario& scenario, const MicrobatchShape& shape, Block& block, BlockBuilder& b);
/// An LSTM or GRU layer of such a list (recurrent.cc).
/// `by_step`: the inputs of each step are a product of their own.
void lower_recurrent(const MicrobatchShape& shape, const FixedOperator& o, bool by_step, Block& block, BlockBuilder& b);
/// Logits and loss of the final hidden states; `owns_weight`: else their matrix is another block's.
void lower_logits(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, bool owns_weight);

/// A feed-forward network of two linear layers with an activation between them.
struct Mlp {
  Label name;         // "mlp"
  double rows = 0;    // tokens it sees (each, of several experts)
  int64_t width = 0;  // of its input and output; 0: hidden
  int64_t ffn = 0;
  bool enters = true, leaves = true;  // it is a separate tensor-parallel region
  int64_t experts = 1;
  bool raw_input = false;
  bool keeps_input = true;
  SavedRole input = SavedRole::mlp_input;
};
void lower_mlp(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp);
/// The operators between its two linear layers (activation.cc).
void lower_activation(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const Mlp& mlp);
/// The activation function alone on `elements` values, of `inputs` tensors (2: the gate is in its kernel).
void lower_function(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, Role role,
                    const Label& name, double elements, Split split, double inputs = 1);
/// A dropout of this many elements, one way (dropout.cc).
struct Dropout {
  Role role;
  Label name;
  double elements;
  Split split;
};
void lower_dropout(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const Dropout& dropout,
                   StepPhase phase);
/// Both ways, and its mask.
void lower_dropout(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const Dropout& dropout,
                   SavedRole mask);

/// A normalisation, and the tensor that it reads and keeps.
struct Normalization {
  Label name;
  Role role;
  SavedRole input;
};
/// Writes a norm over `rows` tokens of `width` values (0: hidden).
void lower_norm(const Scenario& scenario, const MicrobatchShape& shape, BlockBuilder& b, const Normalization& norm,
                double rows, Split split, int64_t width = 0);

}  // namespace planner
