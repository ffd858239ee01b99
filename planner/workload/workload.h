// The training step as operators: their order, their weights, and the tensors that they keep.
//
//     lower(scenario) -> Workload        unsharded: one layer of each kind, one microbatch
//     passes                             each parallelism, recompute policy and technique rewrites it
//     cost(workload, device)             seconds, FLOPs and bytes per operator (cost.h)
//
// Time and memory are both summed from the resulting workload, so a pass cannot forget one of the two.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/enum_words.h"
#include "dsl/short_list.h"
#include "operator_models/operators.h"
#include "planner/scenario/degrees.h"
#include "planner/scenario/model.h"
#include "planner/workload/label.h"
#include "planner/workload/role.h"

namespace planner {

using operator_models::Attention;
using operator_models::Collective;
using operator_models::CollectiveKind;
using operator_models::Gemm;
using operator_models::Group;
using operator_models::HostCopy;
using operator_models::HostDirection;
using operator_models::Lookup;
using operator_models::SendRecv;
using operator_models::Update;
using operator_models::Vector;
using operator_models::VectorKind;

enum class StepPhase { forward, backward, recompute, optimizer };
inline const char* name(StepPhase p) { return dsl::word_of(p); }

enum class Sublayer {
  embedding,
  attention,
  mixer,
  mlp,
  experts,
  residual,
  head,
  optimizer,
  data_parallel,
  pipeline,
  offload,
  fixed
};
inline const char* name(Sublayer s) { return dsl::word_of(s); }

/// What tensor parallelism divides in an operator or a tensor.
enum class Split {
  none,      // every rank does all of it
  sequence,  // only sequence parallelism divides it (norms, dropout, residual)
  column,    // GEMM: the output features; vectors and tensors: the width
  row,       // GEMM: the input features
  heads,     // attention: the heads
};
inline constexpr auto& kSplitNames = dsl::kEnumWords<Split>;
inline const char* name(Split s) { return kSplitNames[static_cast<size_t>(s)]; }

/// The work that may hide a communication.
enum class Hide {
  nothing,        // compute, or blocking communication
  cover,          // under the operator `cover` of the same block
  fused,          // part by part under `cover`, which writes its data (software.fused_collectives)
  block,          // under the whole phase of its block (FSDP prefetch)
  last_backward,  // under the backward pass of the last microbatch
  first_forward,  // under the forward pass of the first microbatch
  host_update,    // under the optimizer pass of the host
};
inline const char* name(Hide h) { return dsl::word_of(h); }

/// Producers that are not an operator of the block.
inline constexpr int kInput = -1;  // the block's input; backward the gradient of its output
inline constexpr int kKept = -2;   // a tensor that the forward pass has kept

/// Numbers of operators of a block, kInput or kKept.
using Numbers = dsl::ShortList<int, 6>;

/// Its edges stay inside its phase, except that backward operators read rebuilt tensors. Reads of kept forward tensors
/// by backward operators are not recorded: `forward` names the operator whose gradient they compute.
struct WorkOp {
  Label name;  // "attention.qkv", for people
  Role role = Role::none;
  StepPhase phase = StepPhase::forward;
  Sublayer sublayer = Sublayer::attention;
  operator_models::Operator op;
  double count = 1;  // calls per block and microbatch (per step for step operators)
  Split split = Split::none;
  bool routed = false;              // works on the tokens of the routed experts of a rank
  int product = 0;                  // a GEMM and its two gradients share a non-zero number
  int listed = -1;                  // of a fixed list: the number of its row
  bool data_gradient = false;       // dX: of the first operand
  bool weight_gradient = false;     // dW; zero-bubble schedules and LoRA treat it apart
  bool adapter = false;             // of a low-rank adapter
  bool of_weights = false;          // its size follows from the weights, not from the tokens
  bool enters_tensor = false;       // first of a tensor-parallel region: its input is gathered, its dgrad reduced
  bool leaves_tensor = false;       // last of one: its output is reduced, its gradient gathered
  bool widens = false;              // frozen weights for one use; done again wherever they are used again
  int independent = 0;              // operators of one block with the same non-zero number may run side by side
  int wavefront = 0;                // recurrent layers: those with the same non-zero number do so in their steps
  int64_t beside = 1;               // calls of one operator that may run side by side
  Numbers inputs;                   // producers: indices into the block, kInput, kKept; of weights: none
  int forward = -1;                 // backward: the operator of its gradient; recompute: the repeated one; -1: none
  bool result = false;              // its output leaves the block: the block's output, input gradient, a loss
  Purpose purpose = Purpose::none;  // of communication
  Hide hide = Hide::nothing;
  int cover = -1;
};

/// Whether it hides under the one operator `cover`.
inline bool has_cover(const WorkOp& op) { return op.hide == Hide::cover || op.hide == Hide::fused; }

/// Communication that later work needs wherever it is placed (of tensor, sequence, pipeline, expert and context
/// parallelism). Gradients and parameters could run parallel to other work: if they do not, they are exposed.
inline bool is_serialized(const WorkOp& op) {
  return op.hide == Hide::nothing && op.purpose != Purpose::dp && op.purpose != Purpose::fsdp;
}

/// A weight tensor (or several of one kind).
struct Weight {
  Label name;
  Role role = Role::none;  // of the product that reads a linear layer's
  int listed = -1;         // of a fixed list: the number of its row
  double parameters = 0;
  Split split = Split::none;
  int64_t in = 0, out = 0;  // of one matrix of a linear layer, as this rank holds it; 0: none
  bool tied = false;        // the embedding's matrix, held a second time by the head
  bool routed = false;      // of routed experts, which expert parallelism divides
  bool frozen = false;      // no gradient buffer, no optimizer state: not trained, or a table whose rows the lookup's
                            // backward pass updates
};

/// An activation kept from forward to backward, for one microbatch.
struct Saved {
  Label name;  // "attention.query", for people
  SavedRole role = SavedRole::none;
  double bytes = 0;
  Split split = Split::none;
  bool routed = false;    // of the tokens of the routed experts of a rank
  bool gathered = false;  // input of a tensor-parallel region: sequence parallelism may keep a shard of it
  int64_t of_layers = 1;  // one per this many consecutive layers of a chunk: the last of them may be for fewer
};

/// Memory in addition to the saved activations at one moment of a block's passes; the fullest moment counts.
struct Moment {
  double bytes() const;
  Label name;
  StepPhase phase = StepPhase::backward;
  std::vector<Saved> alive;
};

enum class BlockKind { embedding, layer, prediction, head };
inline const char* name(BlockKind b) { return dsl::word_of(b); }

/// Counted apart: those of routed experts are summed and sharded among fewer ranks than the others.
struct Parameters {
  double common = 0, routed = 0;
  double sum() const { return common + routed; }
  Parameters& operator+=(const Parameters& o) { return common += o.common, routed += o.routed, *this; }
  friend Parameters operator*(double k, const Parameters& p) { return {k * p.common, k * p.routed}; }
};

struct Block {
  BlockKind kind = BlockKind::layer;
  LayerKind layer;  // of a layer
  Label name;       // "layer"; "layer.experts", "layer.windowed" ... where a model has several kinds
  std::vector<WorkOp> ops;
  std::vector<Weight> weights;
  std::vector<Saved> saved;
  std::vector<Moment> moments;
  Saved kept;                // of every microbatch until the step is over: results of a pipeline's end
  int64_t routed_width = 0;  // values of a token as routed experts get it; 0: as wide as the model
  double input_bytes = 0;    // the block's input: all that full recompute keeps
  Split input_split = Split::sequence;
  double recompute_working_set = 0;  // bytes live while it is computed again
  double host_bytes = 0;             // of saved bytes: may go to host memory, if offload.modules names it
  int64_t layers = 1;                // that it represents: the matrices of a fixed operator list

  /// Whether it is a layer, of the model or of a prediction; else it is an end of the model.
  bool is_layer() const { return kind == BlockKind::layer || kind == BlockKind::prediction; }
  /// Count this rank's; a tied copy of the embedding counts unless it shares the embedding's memory.
  Parameters held(bool tied_shares = false) const;
  Parameters trained(bool tied_shares = false) const;  // without the frozen ones
  double parameters(bool tied_shares = false) const { return held(tied_shares).sum(); }
  double saved_bytes() const;
  /// Calls visit(tensor) for all that are saved, and for those that live for a moment.
  template <class Visit> void each_saved(Visit visit) {
    for (Saved& tensor : saved) visit(tensor);
    for (Moment& moment : moments)
      for (Saved& tensor : moment.alive) visit(tensor);
  }
  double transient() const;  // bytes live only while the block runs, at its fullest moment
};

/// One chunk of a stage: how many of each block of the workload it holds.
using Chunk = std::vector<int64_t>;

/// A rank's holdings of a stage.
struct StageHoldings {
  Parameters held, trained;
  double layers = 0;         // of every kind, prediction layers included
  double tensors = 0;        // weights
  double saved_bytes = 0;    // activations of one microbatch
  double working_bytes = 0;  // additional need of the hungriest block while it runs
  double matrices = 0;       // elements of its weight matrices, each shape once
};

/// Stages that hold the same and do the same per step.
struct StageClass : StageHoldings {
  Chunk total() const;  // all its chunks together
  std::vector<Chunk> chunks;
  std::vector<WorkOp> step_ops;  // once per step, one after another: gradient reduction, parameter gather, optimizer
};

/// Which blocks each part of the model holds, and which parts each stage.
struct StageDeal {
  struct ChunkRun {  // parts in a row that hold the same
    int64_t count = 0;
    size_t chunk = 0;
  };
  struct StageKind {
    std::vector<size_t> chunks;  // by number of the chunk: which of `chunks`
    Chunk total;
    bool operator==(const StageKind& o) const { return chunks == o.chunks; }
  };
  std::vector<Chunk> chunks;    // that differ
  std::vector<ChunkRun> parts;  // of the model, in order
  std::vector<StageKind> classes;
  std::vector<int> class_of_stage;  // stage -> class
  Chunk model;                      // all parts together
  const struct ScheduleRow* schedule = nullptr;
  bool ends_together = true;  // one stage holds the first and the last part
};

/// The traffic between stages.
struct Boundary {
  SendRecv boundary;  // one activation between stages; bytes 0 without a pipeline
  Collective rejoin;  // gathers what tensor ranks sent as shards; bytes 0: nothing to gather
};

struct Workload : Boundary {
  std::vector<Block> blocks;  // embedding, each kind of layer, prediction layer (if the model has any), head
  StageDeal deal;
  std::vector<StageClass> classes;
  std::vector<int> class_of_stage;  // stage -> class
  int64_t microbatches = 1;
  double width_bytes = 2;  // of one activation element

  // Not in every file that copies or drops one: they are much code.
  Workload() = default;
  Workload(const Workload&);
  Workload(Workload&&) noexcept;
  Workload& operator=(const Workload&);
  Workload& operator=(Workload&&) noexcept;
  ~Workload();

  Block& embedding() { return blocks.front(); }
  Block& layer(size_t kind = 0) { return blocks[1 + kind]; }
  Block& head() { return blocks.back(); }
  const Block& embedding() const { return blocks.front(); }
  const Block& layer(size_t kind = 0) const { return blocks[1 + kind]; }
  const Block& head() const { return blocks.back(); }

  /// The sum of `of(block)` over the blocks that a chunk (or a whole stage) holds.
  template <class Of> auto sum(const Chunk& held, Of of) const {
    decltype(of(blocks[0])) sum{};
    for (size_t i = 0; i < blocks.size(); ++i)
      if (held[i] > 0) sum += static_cast<double>(held[i]) * of(blocks[i]);
    return sum;
  }
};

}  // namespace planner
