#include <array>

#include "planner/workload/passes.h"

namespace planner {
namespace {

// Recompute comes after the passes that insert collectives into a layer, so that it repeats them;
// data parallelism needs the stages; the optimizer needs the shards.
constexpr std::array kPasses{
    PassRow{"tensor", "divides heads and widths, inserts collectives of tensor and sequence parallelism", apply_tensor},
    PassRow{"recompute", "drops saved activations and repeats the forward operators that rebuild them", apply_recompute},
    PassRow{"pipeline", "deals layers, embedding and head to stages and chunks", apply_pipeline},
    PassRow{"data", "gradient reduction and parameter gathers of DDP, ZeRO, FSDP and HSDP", apply_data},
    PassRow{"optimizer", "the update of the parameters a rank owns", apply_optimizer},
};

}  // namespace

std::span<const PassRow> passes() { return kPasses; }

Workload build_workload(const Scenario& scenario) {
  Workload workload = lower(scenario);
  for (const PassRow& pass : passes()) pass.apply(scenario, workload);
  return workload;
}

double Block::parameters() const {
  double sum = 0;
  for (const Weight& w : weights) sum += w.parameters;
  return sum;
}

double Block::saved_bytes() const {
  double sum = 0;
  for (const Saved& s : saved) sum += s.bytes;
  return sum;
}

}  // namespace planner
