// The operators behind a plan, as `trainplan ops` prints them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// One operator of the step, as `trainplan ops` prints it: per GPU of the stage that holds it.
struct OperatorRow {
  std::string name, phase, layer, sublayer, kind,
      op_class,                                         // op_class: gemm, attention, vector, communication, optimizer
      part;                                             // of the Transformer: kParts (anatomy.h)
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
