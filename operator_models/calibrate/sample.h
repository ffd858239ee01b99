// Measured operators, and the machine they were measured on.
//
//     file -> table or log -> Sample ... -> fit -> Calibration -> fragment
//                                        -> score
//
// A sample is an operator as the planner would cost it and the seconds it took. Whatever is fitted, scored or left out
// works on samples alone; what a column means is known by the readers only (kinds.h).
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "hw_profiles/types.h"
#include "operator_models/calibration.h"
#include "operator_models/cost.h"
#include "operator_models/operators.h"

namespace operator_models {

struct Sample {
  Operator op;
  double seconds = 0;
  std::vector<std::string> values;  // one for each of the set's dimensions
  bool counted = true;              // errors count it (--within); fits use every sample
  dsl::Span place;                  // of its time
  std::string name = {};            // where the data has one
  bool base = false;                // of the base iteration (--base); the others are projected from it
};

struct SampleSet {
  std::vector<std::string> dimensions;  // what may be left out, one value at a time: "m", "op", "num_gpus", "file" ...
  std::vector<Sample> samples = {};
  int64_t passed_over = 0;  // rows that hold no operator of the kind (another precision, a header of a log ...)
  size_t only_grouped = 0;  // the last dimensions that only group errors and are never left out
  bool modelled = false;    // nothing was measured: the times are those of a model
};

/// The machine that calibrated and scored operators run on. `calibration`: the catalogue's, where fits start.
struct Machine {
  hw_profiles::Accelerator gpu;
  std::vector<hw_profiles::Tier> network;  // innermost first; empty where only a GPU is named
  int64_t gpus_per_node = 1;
  Calibration calibration;
  hw_profiles::Host host = {};
};

/// A device of the machine with `calibration` in place of its own: single kernels in bursts, the calibration's launch.
Device device_of(const Machine& machine, const Calibration& calibration);

/// Returns the samples without those whose value of `dimension` (an index) is one of `values`; `kept` false: only
/// those.
SampleSet part_of(const SampleSet& set, size_t dimension, const std::vector<std::string>& values, bool kept);

}  // namespace operator_models
