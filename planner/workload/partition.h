// Which part of the model is where: layers of each part, and which stage and chunk a part is.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// The scenario's own `stages`, else even; if layers do not divide, embedding and head may count as a layer each. Sums
/// to the model's layers (otherwise `stages` has a violation).
std::vector<int64_t> layers_per_part(const Scenario& s);
/// Prediction layers that run: none without training.
int64_t prediction_layers(const Scenario& s);
/// One stage holds the first and the last part of the model.
bool ends_together(const Scenario& s);

/// Name of the schedule: the layout's, else the software's where its chunks per stage are those of the layout, else
/// interleaved or 1f1b.
std::string schedule_name(const Scenario& scenario);
/// The parts of a model of these blocks. REQUIRES: no layout violation.
StageDeal deal_stages(const Scenario& s, const std::vector<Block>& blocks);

/// A shape of trained weight matrices.
struct HeldMatrix {
  int64_t in = 0, out = 0;
  uint64_t before = 0;  // bit i: block i, which comes before, has the shape
  friend bool operator==(const HeldMatrix&, const HeldMatrix&) = default;
};

/// Bytes of a block for one microbatch.
struct BlockBytes {
  double saved_bytes = 0;
  double shared_bytes = 0;    // saved once for `of_layers` layers of a chunk, and not in `saved_bytes`
  double repeated_bytes = 0;  // alive for each of them meanwhile
  double transient_bytes = 0;
  double kept_bytes = 0;  // of every microbatch until the step is over
};

/// A rank's bytes of a block. Second variant ([1]): one stage holds both ends of the model, and the tied head shares
/// the embedding's memory.
struct BlockHoldings : BlockBytes {
  std::array<Parameters, 2> held, trained;
  double layers = 0, tensors = 0;
  double of_layers = 1;              // that are computed again together
  std::vector<HeldMatrix> matrices;  // each shape once
};
/// REQUIRES: at most 64 blocks.
std::vector<BlockHoldings> holdings_of(const std::vector<Block>& blocks);
/// Returns the number of microbatches whose results a stage keeps in addition to the running one, if its blocks keep
/// any.
double kept_microbatches(const Scenario& s);
/// The holdings of the stages of a kind. REQUIRES: the deal is of these blocks. `kept`: kept_microbatches.
StageHoldings holdings_of(const std::vector<BlockHoldings>& blocks, const StageDeal& deal,
                          const StageDeal::StageKind& kind, double kept);

}  // namespace planner
