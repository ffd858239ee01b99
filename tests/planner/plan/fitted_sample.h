// A small GPT with models that were fitted to measurements, in a folder of its own.
#pragma once

#include "tests/dsl/folder.h"
#include "tests/planner/search/open_sample.h"

namespace fitted_sample {

/// Seconds of all-reduces: 1e-5 + 3e-12 * bytes * log2(ranks), measured with 2 to 8 ranks.
inline constexpr const char* kReduce = R"(parameters: [size, ranks]
points: [[1e6, 2], [1e8, 4], [1e9, 8]]
models: [{callpath: main, metric: time, smape: 0.02, model: 1e-5 + 3e-12 * size * log2(ranks)}]
)";
/// Seconds of a step of the sample: 0.1 + 12 / gpus, measured on 2 to 8 GPUs.
inline constexpr const char* kSteps = R"(parameters: p
points: [2, 4, 8]
models:
  - {callpath: step, metric: time, model: 0.1 + 12 / p}
  - {callpath: loading, metric: time_s, model: 0.001 * p}
  - {callpath: step, metric: bytes, model: 100 * p}
)";
/// Measurements: 2e-9 * flops^... of GEMMs is what five points of a line give.
inline constexpr const char* kGemms = "flops,time\n1e9,2e-5\n2e9,3e-5\n4e9,5e-5\n8e9,9e-5\n1.6e10,1.7e-4\n";
/// Below zero from 4 on.
inline constexpr const char* kFalling = "parameters: p\npoints: [1, 2]\nmodels: [{metric: time, model: 4 - p}]\n";

struct Files : TestFolder {
  Files() {
    add("reduce.yaml", kReduce);
    add("steps.yaml", kSteps);
    add("gemms.csv", kGemms);
    add("falling.yaml", kFalling);
    add("units.csv", "p,time_ms\n1,1\n2,2\n3,3\n4,4\n5,5\n");
    add("rate.csv", "p,tokens_per_s\n1,1\n2,2\n3,3\n4,4\n5,5\n");
    add("visits.csv", "p,visits\n1,1\n2,2\n3,3\n4,4\n5,5\n");
  }
  planner::LoadedScenario load(const sample::Sets& models, const sample::Sets& sets = {}) const {
    return sample::load(text(models), sets, name());
  }
  /// The sample with lines under `operator_models`.
  static std::string text(const sample::Sets& models) {
    std::string out = std::string(sample::kGpt) + "operator_models:\n";
    for (const std::string& line : models) out += "  " + line + "\n";
    return out;
  }
};

}  // namespace fitted_sample
