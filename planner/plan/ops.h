// The operators behind a plan, as `trainplan ops` prints them.
//
// Traffic of a block's operators through the memory of a GPU, operator by operator.
//
// The anatomy of a step: which part of a Transformer each operator belongs to.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "operator_models/dram.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/cost.h"
#include "planner/workload/workload.h"

namespace planner {

/// The parts of Pati 2024, figures 4.1, 4.2 and 4.6 to 4.8, and parts of Transformers that BERT lacks. Every operator
/// belongs to one part. linear and fc: GEMMs, biases, bias gradients and additions of gradients. attention-gemm: the
/// batched GEMMs or the fused kernel. softmax: scale, mask, softmax and dropout. heads: operators between projections
/// and attention. residual: dropout, addition and norm.
inline constexpr std::array kParts{"embedding", "linear",     "heads",        "attention-gemm", "softmax",
                                   "fc",        "activation", "residual",     "experts",        "output",
                                   "fixed",     "optimizer",  "communication"};

/// Returns the part of an operator, one of kParts.
const char* part_of(const WorkOp& op);

/// One call of each operator, in order. A GEMM and the collective that hardware makes of its stores share their traffic
/// (operator_models/dram.h). Other operators: the bytes of their cost.
std::vector<operator_models::DramBytes> dram_of(const Scenario& scenario, const std::vector<CostedOp>& ops);

/// One operator of the step, as `trainplan ops` prints it: per GPU of the stage that holds it.
struct OperatorRow {
  std::string name, phase, layer, sublayer, kind,
      op_class,                                         // op_class: gemm, attention, vector, communication, optimizer
      part;                                             // of the Transformer: kParts
  std::vector<std::pair<std::string, double>> shape;    // e.g. {"m", 2048}, {"n", ...}; whole numbers
  double count = 0;                                     // per step
  double launches = 1;                                  // kernels of one call: an optimizer may go tensor by tensor
  double flops = 0, bytes_read = 0, bytes_written = 0;  // one call
  double near_bytes = 0;                                // one call: operator_models::Cost
  int64_t at_once = 1;                                  // GEMMs side by side, itself among them
  double gain = 1;                                      // of its time alone over that among them
  double intensity = 0;                                 // flops / (read + written)
  double seconds = 0;                                   // one call
  double waited = 0;                                    // the part for which the step waits; compute: all
  double dram_read = 0, dram_written = 0;               // one call; operator_models/dram.h
  bool fused = false;                                   // a collective that hides part by part in its GEMM
  double share = 0;                                     // of the step's operator seconds: count * seconds / sum
  std::string bound, model, provenance;
  double relative_error = 0;
};

/// The operators behind a plan, in step order; empty after a layout violation.
std::vector<OperatorRow> operator_rows(const Scenario& scenario);

}  // namespace planner
