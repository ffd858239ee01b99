// Tokens and FLOP per second of a step.
#pragma once

#include <string_view>
#include <vector>

#include "planner/plan/figure_field.h"
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
template <class V> void fields(V& v, Throughput& t) {
  using enum FigureUnit;
  v("tokens_per_second", t.tokens_per_second,
    about(tokens_per_second, "of the whole job")
        .in_expressions("tokens_per_second", WithStep::falls)
        .on_axis("tokens per second")
        .more_is_better());
  v("tokens_per_second_per_gpu", t.tokens_per_second_per_gpu, about(tokens_per_second, "the same for one GPU"));
  v("samples_per_second", t.samples_per_second, about(per_second, "a sample is a sequence"));
  v("model_flops_per_step", t.model_flops_per_step,
    about(flops, "of the whole job; three times forward, without recompute, causal attention halved"));
  v("model_tflops_per_gpu", t.model_tflops_per_gpu, about(number, "1e12 model FLOP per second and GPU"));
  v("mfu", t.mfu,
    about(fraction, "model FLOPs over the dense peak")
        .in_expressions("mfu", WithStep::falls)
        .in_rows("mfu")
        .on_page("MFU", 2)
        .on_axis("MFU")
        .more_is_better()
        .at_most(2));
  v("mfu_full_attention", t.mfu_full_attention, about(fraction, "the same with attention counted in full"));
  v("hfu", t.hfu,
    about(fraction, "executed FLOPs over the dense peak")
        .in_expressions("hfu", WithStep::falls)
        .on_axis("HFU")
        .more_is_better());
  v("peak_flops_per_gpu", t.peak_flops_per_gpu, about(flops_per_second, "that peak in FLOP/s"));
  v("peak_precision", t.peak_precision, about(text, "the precision whose peak it is"));
}

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
