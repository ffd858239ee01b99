// Optimizers as rows: reads, writes and products of one step of each, and its states. Time, memory and communication of
// an update follow from its row (workload/passes/optimizer.cc, matrix_update.cc; plan/memory.cc).
//
// Adding one: a word of `Optimizer` and a row of `kOptimizerRows`, in the same place.
#pragma once

#include <cstdint>
#include <span>

#include "dsl/enum_words.h"

namespace planner {

enum class Optimizer {
  adam,
  lamb,
  sgd,
  muon,
  muon_clip,
  soap,
  shampoo,
  adafactor,
  adam_8bit,
  paged_adam,
  paged_adam_8bit,
  plain_sgd
};

/// Which ranks orthogonalize a matrix that is sharded over ranks (Megatron-LM, --muon-tp-mode).
enum class MuonMode {
  duplicated,    // each rank gathers the whole matrix, and does all of it
  distributed,   // each rank keeps its shard: the square matrices are summed in every iteration
  blockwise,     // each rank takes its shard for the whole
  layer_sharded  // each matrix goes to one rank, which does all of it, and comes back
};
inline constexpr auto& kMuonModeNames = dsl::kEnumWords<MuonMode>;

struct Muon {
  MuonMode mode = MuonMode::duplicated;
  int64_t steps = 5;
};

/// Launches of a pass: as many as the software splits all parameters into, one, one for each layer or for each matrix.
enum class Launches { parameters, once, layers, matrices };

/// One pass of kernels over parameters; bytes are per parameter. A pass that `writes_weights` writes the 16-bit copy
/// too.
struct UpdatePass {
  const char* name;
  const char* algorithm;
  double read = 0, written = 0;
  bool writes_weights = false;
  double flops = 0;
  Launches launches = Launches::parameters;
  double register_commands = 0;  // units near memory (operator_models::Update)
  enum class Sums { none, once, layers } sums = Sums::none;
  bool over_all = false;
};

/// The same by operations of a tensor library; kernels 0: unknown.
struct Unfused {
  const char* algorithm = "";
  double arrays_read = 0, arrays_written = 0;
  int64_t kernels = 0;         // of each tensor
  int64_t matrix_kernels = 0;  // for each matrix in addition: weight decay, which biases and norms do not have
};

/// State kept in addition to parameters and masters, in bytes: per parameter, per row and column of a matrix, and per
/// element of a square matrix over its rows and one over its columns.
struct States {
  double parameter = 0, line = 0, square = 0;
};

/// A side of a matrix of `small` x `large`.
enum class Side { small, large };

/// Matrix products of an update: rows x columns, summed over `inner`.
struct UpdateProduct {
  const char* name;
  Side rows, columns, inner;
  double times = 1;  // in every step; where `iterated`, in each of job.muon.steps
  bool iterated = false;
  bool preconditions = false;  // belongs to the square matrix over its rows' side, which too long a side has not
  int64_t every = 1;           // steps
  bool adds = false;           // to the existing value
};

/// What long sides have: all that short ones have, no square matrix of their own, or one for each block.
enum class LongSide { whole, skipped, cut };

struct OptimizerRow {
  Optimizer optimizer;
  const char* name;
  const char* source;
  /// False: the software's own optimizer, whose states `software.memory.optimizer` counts. Else they take the place of
  /// Adam's two.
  bool states_of_its_own = false;
  std::span<const UpdatePass> passes = {};  // of parameters that have no treatment as matrices
  Unfused unfused = {};
  States states = {};
  /// Of the matrices of layers: products, passes (none: those above) and states.
  std::span<const UpdateProduct> products = {};
  std::span<const UpdatePass> matrix_passes = {};
  States matrix_states = {};
  LongSide long_side = LongSide::whole;
  int64_t longest_side = 0;
  bool halves = false;  // products are of 16 bits; false: of tf32
  bool shards = false;  // job.muon sets how ranks with shards cooperate; false: each treats its shard as the whole
  bool clips = false;   // queries and keys are scaled where attention's logits grow (qk-clip)
  bool paged = false;   // states that live on the host are moved to the GPU, which updates them

  /// Whether matrices of layers are kept or updated in another way than the rest.
  bool has_matrices() const { return !products.empty() || matrix_states.line > 0; }
};

std::span<const OptimizerRow> optimizers();
const OptimizerRow& row_of(Optimizer optimizer);
std::span<const char* const> words(Optimizer);

/// How a weight is held that no step changes.
enum class BaseType { none, nf4, fp4, int4, int8, fp8 };

struct BaseRow {
  BaseType type;
  double bytes;  // of a weight, its scales included; 0: as it is computed with
  const char* source;
};
const BaseRow& row_of(BaseType type);

}  // namespace planner
