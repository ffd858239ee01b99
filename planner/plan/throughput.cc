#include "planner/plan/throughput.h"

#include "dsl/unit_sizes.h"

namespace planner {
namespace {

// Passes over the model that count, each as long as the forward pass: the backward pass has two, gradients of the data
// and of the weights. Frozen weights have none.
double model_passes(const Job& job) {
  if (job.phase == Phase::forward) return 1;
  return job.lora.rank > 0 ? 2 : 3;
}

// Model FLOPs of one forward pass. Tokens beyond an expert's capacity are dropped: no FLOPs of the model.
double model_flops(const Scenario& s, double tokens, double seen, bool halve_causal) {
  Model model = s.model;
  if (s.job.phase == Phase::forward) model.mtp = 0;  // nothing is predicted further without training
  const double all = forward_flops(model, tokens, seen, halve_causal);
  if (s.job.routing.capacity == 0 || s.job.routing.capacity >= 1) return all;
  model.experts.top_k = 0;
  const double routed = all - forward_flops(model, tokens, seen, halve_causal);
  return all - (1 - s.job.routing.capacity) * routed;
}

// The first operator of a fixed list reads data: the gradient of its input is not computed.
double untaken_flops(const Scenario& s) {
  if (s.model.operators.empty() || s.job.phase == Phase::forward) return 0;
  return fixed_flops({s.model.operators.front()}) * static_cast<double>(s.job.global_batch);
}

}  // namespace

ModelFlops make_model_flops(const Scenario& s) {
  const double tokens = static_cast<double>(s.job.global_batch) * static_cast<double>(s.job.sequence);
  const double seen = static_cast<double>(s.job.document);  // tokens that attend to each other
  const double masked = model_flops(s, tokens, seen, s.model.causal);
  return {.masked = masked, .full = s.model.causal ? model_flops(s, tokens, seen, false) : masked};
}

ExecutedFlops make_executed_flops(const std::vector<CostedBlock>& blocks, const Chunk& model) {
  ExecutedFlops sum;
  for (size_t i = 0; i < blocks.size(); ++i) {
    sum.all += static_cast<double>(model[i]) * blocks[i].totals.matrix_flops;
    sum.adapters += static_cast<double>(model[i]) * blocks[i].totals.adapter_flops;
  }
  return sum;
}

Throughput make_throughput(const Scenario& s, const ModelFlops& model, const ExecutedFlops& executed,
                           int64_t microbatches, double step) {
  Throughput t;
  const double gpus = static_cast<double>(s.cluster.gpus), batch = static_cast<double>(s.job.global_batch);
  const double passes = model_passes(s.job);
  // Every stage's microbatches, on all ranks that share a stage.
  const double repeats = static_cast<double>(microbatches) * static_cast<double>(stage_ranks(s.parallelism));
  const double adapters = 3 * executed.adapters * repeats;  // they are trained: three passes of their own
  t.samples_per_second = batch / step;
  t.tokens_per_second = batch * static_cast<double>(s.job.sequence) / step;
  t.tokens_per_second_per_gpu = t.tokens_per_second / gpus;
  const double untaken = untaken_flops(s);
  t.model_flops_per_step = passes * model.masked + adapters - untaken;
  t.model_tflops_per_gpu = t.model_flops_per_step / step / gpus / dsl::kTera;
  t.peak_precision = hw_profiles::name(s.job.precision);
  t.peak_flops_per_gpu = s.cluster.gpu.flops.at(s.job.precision)->value * s.cluster.gpu.speedup;
  const double capacity = step * gpus * t.peak_flops_per_gpu;
  t.mfu = t.model_flops_per_step / capacity;
  t.mfu_full_attention = (passes * model.full + adapters - untaken) / capacity;
  t.hfu = executed.all * repeats / capacity;
  return t;
}

}  // namespace planner
