// Tokens, model FLOPs and the three utilisations.
#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::Plan;
using planner::Scenario;
using planner::Throughput;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::plan;
using sample::Sets;

namespace {

constexpr double kTokens = 64 * 1024.0;

Throughput throughput(const Sets& sets) { return *plan(gpt(sets)).throughput; }

}  // namespace

TEST_CASE("tokens and samples per second follow from the step") {
  const Plan p = plan(gpt());
  CHECK(near(p.throughput->tokens_per_second, kTokens / p.step->seconds));
  CHECK(near(p.throughput->tokens_per_second_per_gpu, kTokens / p.step->seconds / 8));
  CHECK(near(p.throughput->samples_per_second, 64 / p.step->seconds));
}

TEST_CASE("model FLOPs are three forwards, whatever is recomputed or sharded") {
  // Per token: 24 h^2 per layer, attention 4 s h per layer (half of it causal), logits 2 h V.
  const double h = 1024, s = 1024, layers = 8, vocab = 51200;
  const double per_token = layers * (24 * h * h + 4 * s * h / 2) + 2 * h * vocab;
  for (const Sets& sets :
       {Sets{}, Sets{"parallelism.recompute=full"}, Sets{"parallelism.tp=8"}, Sets{"parallelism.pp=4"}})
    CHECK(near(throughput(sets).model_flops_per_step, 3 * kTokens * per_token, 1e-12));
  CHECK(near(throughput({"job.phase=forward"}).model_flops_per_step, kTokens * per_token, 1e-12));
}

TEST_CASE("MFU halves causal attention, its variant does not, and both divide by the dense peak of the precision") {
  const Plan p = plan(gpt());
  const Throughput& t = *p.throughput;
  CHECK(t.peak_precision == "fp16");
  CHECK(t.peak_flops_per_gpu == 312e12);
  CHECK(near(t.mfu, t.model_flops_per_step / (p.step->seconds * 8 * 312e12)));
  CHECK(near(t.model_tflops_per_gpu * 1e12, t.mfu * 312e12));
  const double h = 1024, s = 1024;
  const double full = 8 * (24 * h * h + 4 * s * h) + 2 * h * 51200, half = 8 * (24 * h * h + 2 * s * h) + 2 * h * 51200;
  CHECK(near(t.mfu_full_attention / t.mfu, full / half));
}

TEST_CASE("attention both ways has one MFU") {
  const Throughput t = throughput({"model.causal=false"});
  CHECK(t.mfu == t.mfu_full_attention);
}

TEST_CASE("HFU counts what is executed: the masked half of unfused attention, and recompute") {
  const Throughput none = throughput({"parallelism.tp=8"}),
                   full = throughput({"parallelism.tp=8", "parallelism.recompute=full"});
  CHECK(none.hfu >= none.mfu_full_attention * (1 - 1e-12));
  CHECK(near(none.hfu, none.mfu_full_attention, 0.02));
  const double layers = 8 * (24 * 1024.0 * 1024 + 4 * 1024.0 * 1024);
  const double logits = 2 * 1024.0 * 51200;
  CHECK(near(full.hfu / full.mfu_full_attention, (4 * layers + 3 * logits) / (3 * layers + 3 * logits), 0.02));
}

TEST_CASE("a fused causal kernel skips the masked half, and repeats its scores in backward") {
  const Throughput t = *plan(llama({"parallelism.tp=8", "model.kv_heads=16"})).throughput;
  const double h = 1024, s = 2048, f = 2816, vocab = 32000;
  const double dense = 8 * (8 * h * h + 6 * h * f) + 2 * h * vocab, attention = 8 * 2 * s * h;
  // Forward 1 and backward 2.5 of the causal half, against 3 in the model.
  CHECK(t.hfu / t.mfu == doctest::Approx((3 * dense + 3.5 * attention) / (3 * dense + 3 * attention)).epsilon(0.02));
}

TEST_CASE("narrow precision divides by its own peak") {
  const Scenario s = llama({"cluster={use: dgx-h100, gpus: 8}", "job.precision=fp8", "parallelism.tp=8"});
  const Throughput t = *plan(s).throughput;
  CHECK(t.peak_precision == "fp8");
  CHECK(t.peak_flops_per_gpu == s.cluster.gpu.flops.fp8->value);
}

TEST_CASE("only predicted positions of a masked language model reach its logits") {
  const char* text =
      "model: {use: bert-large}\njob: {sequence: 128, global_batch: 256, precision: fp16}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: ddp-apex}\nparallelism: {microbatch: 32}\n";
  const Plan p = plan(sample::scenario(text));
  CHECK(p.throughput->mfu == p.throughput->mfu_full_attention);
  CHECK(p.throughput->hfu >= p.throughput->mfu);
  CHECK(plan(sample::scenario(text, {"model.predicted=1"})).throughput->model_flops_per_step >
        p.throughput->model_flops_per_step);
}
