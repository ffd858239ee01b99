// The two-dimensional weights of layers, which some optimizers treat as matrices, and the optimizer states for them.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Trained matrices of one shape on one stage, as its tensor ranks hold them.
struct LayerMatrix {
  double in = 0, out = 0;  // of this rank
  double count = 0;
  Split split = Split::none;
  bool routed = false;
  bool clipped = false;  // its results are queries or keys

  double parameters() const { return count * in * out; }
  bool is_like(const LayerMatrix& o) const {
    return in == o.in && out == o.out && split == o.split && routed == o.routed && clipped == o.clipped;
  }
};

/// Of a stage that holds `held` of each block. Queries, keys and values are separate matrices, even if one GEMM makes
/// all of them (Megatron-LM: --muon-no-split-qkv undoes it).
std::vector<LayerMatrix> layer_matrices(const Scenario& scenario, const std::vector<Block>& blocks, const Chunk& held);

/// How many parameters they are, by family.
Parameters parameters_of(const std::vector<LayerMatrix>& matrices);

/// Bytes that an optimizer keeps of one matrix of these sides, by its row.
double state_bytes(const OptimizerRow& row, double in, double out);

/// A matrix as an optimizer cuts it: blocks of these sides.
struct MatrixBlocks {
  double in = 0, out = 0, count = 1;
};
MatrixBlocks blocks_of(const OptimizerRow& row, double in, double out);

/// Bytes of the states of a stage on each rank, in addition to masters. REQUIRES: the row has states of its own.
double state_bytes(const Scenario& scenario, const std::vector<Block>& blocks, const StageHoldings& stage,
                   const Chunk& held);

}  // namespace planner
