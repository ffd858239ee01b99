// Saved activations against the closed forms of Korthikanti et al. 2022 (arXiv:2205.05198), table 2, and
// what each recompute policy drops and runs again.
#include <doctest/doctest.h>

#include <string>

#include "tests/planner/sample.h"

using planner::Block;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::Sets;
using sample::workload;

namespace {

struct Size {
  double s, b, h, a;
};

// Korthikanti's sbh (34 + 5as/h) = 34 sbh + 5 a s^2 b, in whole numbers.
double sbh(const Size& z) { return z.s * z.b * z.h; }
double scores(const Size& z) { return 5 * z.a * z.s * z.s * z.b; }

/// Scenario of that size; `t` tensor ranks.
planner::Scenario sized(const Size& z, int64_t t, bool sequence_parallel, const std::string& recompute,
                        const Sets& more = {}) {
  auto set = [](const char* path, double value) {
    return std::string(path) + "=" + std::to_string(static_cast<int64_t>(value));
  };
  return gpt(sample::operator+({set("job.sequence", z.s), set("parallelism.microbatch", z.b), set("model.hidden", z.h),
                                set("model.heads", z.a), "model.ffn=" + std::to_string(static_cast<int64_t>(4 * z.h)),
                                "parallelism.tp=" + std::to_string(t), "parallelism.recompute=" + recompute,
                                std::string("parallelism.sequence_parallel=") + (sequence_parallel ? "true" : "false")},
                               more));
}

double seconds_free_ops(const Block& block, StepPhase phase) {
  double n = 0;
  for (const WorkOp& op : block.ops) n += op.phase == phase ? op.count : 0;
  return n;
}

const Size kSizes[] = {{1024, 1, 1024, 16}, {2048, 4, 6144, 64}, {2048, 1, 12288, 96}, {512, 2, 2048, 32}};

}  // namespace

TEST_CASE("a layer keeps sbh (34 + 5as/h) bytes") {
  for (const Size& z : kSizes) {
    CAPTURE(z.h);
    const Workload w = workload(sized(z, 1, false, "none"));
    CHECK(w.layer().saved_bytes() == 34 * sbh(z) + scores(z));
  }
}

TEST_CASE("tensor parallelism divides all but 10 sbh") {
  for (const Size& z : kSizes)
    for (int64_t t : {2, 4, 8}) {
      CAPTURE(z.h);
      CAPTURE(t);
      const Workload w = workload(sized(z, t, false, "none"));
      const double by = static_cast<double>(t);
      CHECK(w.layer().saved_bytes() == 10 * sbh(z) + (24 * sbh(z) + scores(z)) / by);
    }
}

TEST_CASE("sequence parallelism divides everything") {
  for (const Size& z : kSizes)
    for (int64_t t : {2, 4, 8}) {
      CAPTURE(z.h);
      CAPTURE(t);
      const Workload w = workload(sized(z, t, true, "none"));
      CHECK(w.layer().saved_bytes() == (34 * sbh(z) + scores(z)) / static_cast<double>(t));
    }
}

TEST_CASE("selective recompute keeps 34 sbh / t, and works in the scores of one layer") {
  for (const Size& z : kSizes)
    for (int64_t t : {2, 8}) {
      CAPTURE(z.h);
      const Workload w = workload(sized(z, t, true, "selective"));
      const double by = static_cast<double>(t);
      CHECK(w.layer().saved_bytes() == 34 * sbh(z) / by);
      CHECK(w.layer().recompute_working_set == scores(z) / by);
    }
}

TEST_CASE("full recompute keeps the layer's input, and works in the rest of one layer's activations") {
  for (const Size& z : kSizes)
    for (const bool sp : {false, true}) {
      CAPTURE(z.h);
      CAPTURE(sp);
      const Workload w = workload(sized(z, 4, sp, "full"));
      CHECK(w.layer().saved_bytes() == 2 * sbh(z) / (sp ? 4 : 1));
      const planner::Block none = workload(sized(z, 4, sp, "none")).layer();
      CHECK(w.layer().recompute_working_set == none.saved_bytes() - none.input_bytes);
    }
}

TEST_CASE("a checkpoint every k layers keeps 1/k of the inputs and repeats each layer once") {
  const Size z = kSizes[0];
  const Workload every = workload(sized(z, 4, true, "full")),
                 fourth = workload(sized(z, 4, true, "full", {"parallelism.recompute_every=4"}));
  CHECK(fourth.layer().saved_bytes() == every.layer().saved_bytes() / 4);
  CHECK(fourth.layer().recompute_working_set == every.layer().recompute_working_set);
  CHECK(seconds_free_ops(fourth.layer(), StepPhase::recompute) ==
        seconds_free_ops(every.layer(), StepPhase::recompute));
}

TEST_CASE("full recompute runs every forward operator once more, selective the core of attention") {
  const Workload full = workload(sized(kSizes[0], 4, true, "full"));
  CHECK(seconds_free_ops(full.layer(), StepPhase::recompute) == seconds_free_ops(full.layer(), StepPhase::forward));
  CHECK(seconds_free_ops(full.head(), StepPhase::recompute) == 0);
  const Workload selective = workload(sized(kSizes[0], 4, true, "selective"));
  double again = 0;
  for (const WorkOp& op : selective.layer().ops)
    if (op.phase == StepPhase::recompute) {
      CHECK_MESSAGE(is_core_attention(op.role), op.name);
      again += sample::gemm_flops(op);
    }
  // Two batched GEMMs of 2 b s^2 h FLOP each, divided by tp.
  CHECK(again == 4.0 * 1024 * 1024 * 1024 / 4);
  CHECK(seconds_free_ops(workload(sized(kSizes[0], 4, true, "none")).layer(), StepPhase::recompute) == 0);
}

TEST_CASE("fused attention leaves selective recompute nothing to drop") {
  const Workload none = workload(llama()), selective = workload(llama({"parallelism.recompute=selective"}));
  CHECK(selective.layer().saved_bytes() == none.layer().saved_bytes());
  CHECK(seconds_free_ops(selective.layer(), StepPhase::recompute) == 0);
}

TEST_CASE("grouped heads and a gated MLP save what their kernels read") {
  // Norm inputs 4, attention input 2, Q 2, K and V 2 * 2/4, context 2, MLP input 2: 13 sbh; the MLP 2 (hidden: two
  // halves) + 1 (product) of width f at 2 bytes; 4 bytes of log-sum-exp per head and token.
  const double s = 2048, h = 1024, f = 2816, a = 16;
  CHECK(workload(llama()).layer().saved_bytes() == s * (13 * h + 3 * 2 * f + 4 * a));
}

TEST_CASE("every second layer: half of the activations, half of an input, half of the forward work") {
  const Sets every_second{"software.selective=every-second-layer", "parallelism.recompute=selective"};
  const Workload none = workload(llama()), half = workload(llama(every_second));
  CHECK(half.layer().saved_bytes() == none.layer().saved_bytes() / 2 + none.layer().input_bytes / 2);
  CHECK(seconds_free_ops(half.layer(), StepPhase::recompute) == seconds_free_ops(half.layer(), StepPhase::forward) / 2);
  CHECK(half.layer().recompute_working_set == none.layer().saved_bytes() - none.layer().input_bytes);
}

TEST_CASE("MLP and norm policy: only activations and norms run again, and less is kept") {
  const Workload none = workload(llama()),
                 some = workload(llama({"software.selective=mlp-and-norm", "parallelism.recompute=selective"}));
  CHECK(some.layer().saved_bytes() < none.layer().saved_bytes());
  CHECK(some.layer().saved_bytes() + some.layer().recompute_working_set == none.layer().saved_bytes());
  for (const WorkOp& op : some.layer().ops)
    if (op.phase == StepPhase::recompute)
      CHECK_MESSAGE(std::holds_alternative<operator_models::Vector>(op.op), op.name);
}

TEST_CASE("all but QKV: the layer's input, Q, K and V are kept, the projections not run again") {
  const Workload some = workload(llama({"software.selective=all-but-qkv", "parallelism.recompute=selective"}));
  const double s = 2048, h = 1024;
  CHECK(some.layer().saved_bytes() == s * h * (2 + 2 * 1.5));  // K and V are a quarter of Q each
  for (const WorkOp& op : some.layer().ops)
    if (op.phase == StepPhase::recompute) CHECK_MESSAGE(op.name != "attention.qkv", op.name);
}

TEST_CASE("every second matrix product: wk, wo and w3 of a LLaMA layer run again, fused attention never") {
  for (const char* fused : {"true", "false"}) {
    CAPTURE(fused);
    const Workload some = workload(llama({"software.selective=every-second-matmul", "parallelism.recompute=selective",
                                          std::string("software.fusion.qkv=") + fused}));
    double again = 0;
    for (const WorkOp& op : some.layer().ops) {
      if (op.phase != StepPhase::recompute) continue;
      CHECK_MESSAGE(op.name != "attention.fused", op.name);
      again += sample::gemm_flops(op);
    }
    CHECK(sample::near(again, 2.0 * 2048 * 1024 * (256 + 1024 + 2816), 1e-12));
    CHECK(some.layer().saved_bytes() < workload(llama()).layer().saved_bytes());
    const Workload read =
        workload(llama({"software.selective=every-second-matmul", "parallelism.recompute=selective",
                        "software.memory.keeps_unread=false", std::string("software.fusion.qkv=") + fused}));
    CHECK(some.layer().saved_bytes() - read.layer().saved_bytes() == 2 * 2048 * 1024.0);  // w2's result
  }
}

TEST_CASE("embedding keeps its dropout mask, the head its norm's and its matrix's input") {
  const Workload w = workload(gpt({"parallelism.tp=4", "parallelism.sequence_parallel=true"}));
  const double sbh = 1024 * 1024;
  CHECK(w.embedding().saved_bytes() == sbh / 4);
  CHECK(w.head().saved_bytes() == 4 * sbh / 4);
  CHECK(w.head().transient() == 10 * 1024 * 51200.0 / 4);
}

TEST_CASE("a model without dropout keeps no masks") {
  const Workload w = workload(gpt({"model.dropout=0"}));
  // 34 less two masks of 1 byte; of the scores the softmax output alone.
  CHECK(w.layer().saved_bytes() == 1024 * 1024.0 * (32 + 2 * 16));
  CHECK(w.embedding().saved_bytes() == 0);
}
