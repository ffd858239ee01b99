// Tokens and FLOP per second of a step.
#pragma once

#include <string_view>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/workload/cost.h"

namespace planner {

struct Throughput {
  double tokens_per_second = 0, tokens_per_second_per_gpu = 0, samples_per_second = 0;
  double model_flops_per_step = 0, model_tflops_per_gpu = 0;
  double mfu = 0, mfu_full_attention = 0, hfu = 0;
  double peak_flops_per_gpu = 0;
  std::string_view peak_precision;
};

/// FLOPs of one forward pass of the model over the whole batch: attention by its mask, and over full squares.
struct ModelFlops {
  double masked = 0, full = 0;
};
ModelFlops make_model_flops(const Scenario& scenario);
/// One microbatch on one rank of every stage.
struct ExecutedFlops {
  double all = 0, adapters = 0;
};
ExecutedFlops make_executed_flops(const std::vector<CostedBlock>& blocks, const Chunk& model);
Throughput make_throughput(const Scenario& scenario, const ModelFlops& model, const ExecutedFlops& executed,
                           int64_t microbatches, double step_seconds);

}  // namespace planner
