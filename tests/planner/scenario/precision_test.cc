// What a job's precision changes: casts and saved bytes of eight bits, and the habits of fp32 and tf32 jobs.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using hw_profiles::Precision;
using planner::OperatorRow;
using planner::Scenario;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kFp8{"cluster={use: dgx-h100, gpus: 8}", "job.precision=fp8"};

/// Calls per step of every cast, by name.
std::map<std::string, double> casts(const Scenario& s) {
  std::map<std::string, double> found;
  for (const OperatorRow& r : planner::operator_rows(s))
    if (r.name.find(".cast-") != std::string::npos) found[r.name] += r.count;
  return found;
}

Scenario fp32(const Sets& sets) { return gpt(Sets{"job.precision=fp32"} + sets); }
Scenario fp32_text(const std::string& software) {
  std::string text = sample::kGpt;
  text.replace(text.find("precision: fp16"), 15, "precision: fp32");
  text.replace(text.find("software: {use: megatron-2021}"), 30, software);
  return sample::scenario(text);
}

}  // namespace

TEST_CASE("eight bits: inputs and output gradients are cast in every microbatch, weights once per step") {
  const double m = 8, layers = 8;  // 64 sequences on 8 ranks
  const auto found = casts(llama(kFp8));
  CHECK(found.size() == 2 + 4 + 4);
  for (const char* linear : {"attention.projection", "mlp.fc2"})
    CHECK(found.at(std::string(linear) + ".cast-input") == m * layers);
  for (const char* linear : {"attention.qkv", "attention.projection", "mlp.fc1", "mlp.fc2"}) {
    CHECK(found.at(std::string(linear) + ".cast-output-gradient") == m * layers);
    CHECK(near(found.at(std::string(linear) + ".cast-weight"), layers));
  }
}

TEST_CASE("a norm that is not fused leaves its output to a cast") {
  const auto found = casts(llama(kFp8 + Sets{"software.fusion.norm=false"}));
  for (const char* linear : {"attention.qkv", "attention.projection", "mlp.fc1", "mlp.fc2"})
    CHECK(found.at(std::string(linear) + ".cast-input") == 8 * 8);
}

TEST_CASE("a cast reads sixteen bits and writes eight twice; tensor parallelism divides it as it does its tensor") {
  for (double t : {1.0, 4.0}) {
    const Workload w = sample::workload(llama(kFp8 + Sets{"parallelism.tp=" + std::to_string(static_cast<int>(t))}));
    const auto moved = [&](const char* name, StepPhase phase) {
      const auto v = std::get<operator_models::Vector>(sample::only(w.layer().ops, name, phase).op);
      CHECK(v.kind == operator_models::VectorKind::cast);
      CHECK(v.read.value == v.written.value);
      return v.read.value;
    };
    CHECK(moved("mlp.fc2.cast-input", StepPhase::forward) == 2 * 2048 * 2816 / t);
    CHECK(moved("mlp.fc2.cast-output-gradient", StepPhase::backward) == 2 * 2048 * 1024);
    CHECK(moved("mlp.fc1.cast-output-gradient", StepPhase::backward) == 2 * 2048 * 2 * 2816 / t);
    CHECK(moved("mlp.fc1.cast-weight", StepPhase::forward) == 2 * 1024 * 2 * 2816 / t);
  }
}

TEST_CASE("sixteen and thirty-two bits cast nothing") {
  CHECK(casts(llama()).empty());
  CHECK(casts(fp32({})).empty());
}

TEST_CASE("linear layers multiply eight bits into sixteen; attention and head stay in bf16") {
  const Workload w = sample::workload(llama(kFp8));
  for (const planner::Block* block : {&w.layer(), &w.head()})
    for (const WorkOp& op : block->ops) {
      const auto* g = std::get_if<operator_models::Gemm>(&op.op);
      if (!g) continue;
      CAPTURE(op.name);
      const bool narrow = block == &w.layer();
      CHECK(g->precision == (narrow ? Precision::fp8 : Precision::bf16));
      CHECK(g->a_bytes == (narrow ? 1 : 2));
      CHECK(g->b_bytes == (narrow ? 1 : 2));
      CHECK(g->c_bytes == (op.weight_gradient ? 4 : 2));
    }
  const auto fused = sample::only(w.layer().ops, "attention.fused");
  CHECK(std::get<operator_models::Attention>(fused.op).precision == Precision::bf16);
}

TEST_CASE("eight-bit layers keep the cast inputs of their linear layers, all else in sixteen") {
  // bf16: norm inputs 4, attention input 2, Q 2, K and V 1, context 2, MLP input 2; hidden 4f, product 2f.
  const double s = 2048, h = 1024, f = 2816, a = 16;
  CHECK(sample::workload(llama()).layer().saved_bytes() == s * (13 * h + 6 * f + 4 * a));
  CHECK(sample::workload(llama(kFp8)).layer().saved_bytes() == s * (11 * h + 5 * f + 4 * a));
  CHECK(sample::workload(llama(kFp8)).head().saved_bytes() == sample::workload(llama()).head().saved_bytes());
}

TEST_CASE("the peak of the figures is that of the job's precision, and a faster one is a faster step") {
  const auto plan = [](const char* precision) {
    return sample::plan(
        llama(Sets{"cluster={use: dgx-h100, gpus: 8}", "model.hidden=8192", "model.heads=64", "model.kv_heads=8",
                   "model.ffn=28672", "parallelism.tp=8", std::string("job.precision=") + precision}));
  };
  const char* order[] = {"fp8", "bf16", "tf32", "fp32"};
  for (size_t i = 0; i + 1 < std::size(order); ++i) {
    const planner::Plan fast = plan(order[i]), slow = plan(order[i + 1]);
    CHECK_MESSAGE(fast.step->seconds < slow.step->seconds, order[i]);
    CHECK(fast.throughput->peak_flops_per_gpu > slow.throughput->peak_flops_per_gpu);
    CHECK(fast.throughput->peak_precision == order[i]);
    CHECK(near(fast.throughput->model_flops_per_step, slow.throughput->model_flops_per_step));
  }
}

TEST_CASE("fp32 and tf32 jobs hold sixteen bytes per parameter and send four, whatever the profile says") {
  for (const char* precision : {"fp32", "tf32"})
    for (const char* software : {"megatron-core", "megatron-2021", "megatron-deepspeed", "ddp-apex"}) {
      CAPTURE(software);
      const Scenario s =
          gpt({std::string("software={use: ") + software + "}", std::string("job.precision=") + precision});
      CHECK(s.software.memory.weight == 4);
      CHECK(s.software.memory.gradient == 4);
      CHECK(s.software.memory.accumulator == 4);
      CHECK(s.software.memory.optimizer == 8);
      CHECK(s.software.reduce_bytes == 4);
      CHECK(s.software.gather_bytes == 4);
    }
}

TEST_CASE("a wide job keeps what the scenario itself writes") {
  CHECK(fp32_text("software: {use: megatron-2021}").software.memory.gradient == 4);
  const Scenario written = fp32_text("software: {use: megatron-2021, reduce_bytes: 2, memory: {gradient: 2}}");
  CHECK(written.software.memory.gradient == 2);
  CHECK(written.software.reduce_bytes == 2);
  CHECK(written.software.memory.weight == 4);
  CHECK(fp32({"software.memory.optimizer=12"}).software.memory.optimizer == 12);
  CHECK(gpt({"software.memory.optimizer=12"}).software.memory.weight == 2);  // fp16 as it was
}

TEST_CASE("a wide job keeps twice the activations, and masks of one byte") {
  const double s = 1024, h = 1024, a = 16;
  CHECK(sample::workload(gpt()).layer().saved_bytes() == 34 * s * h + 5 * a * s * s);
  CHECK(sample::workload(fp32({})).layer().saved_bytes() == 66 * s * h + 9 * a * s * s);
}

TEST_CASE("wide activations are sent and gathered wide") {
  const Workload narrow = sample::workload(gpt({"parallelism.tp=2", "parallelism.pp=2"})),
                 wide = sample::workload(fp32({"parallelism.tp=2", "parallelism.pp=2"}));
  CHECK(narrow.width_bytes == 2);
  CHECK(wide.width_bytes == 4);
  CHECK(wide.boundary.bytes.value == 2 * narrow.boundary.bytes.value);
  const auto reduced = [](const Workload& w) {
    return sample::collective(sample::only(w.layer().ops, "mlp.fc2.all-reduce")).bytes.value;
  };
  CHECK(reduced(wide) == 2 * reduced(narrow));
  CHECK(reduced(wide) == 4.0 * 1024 * 1024);
}

TEST_CASE("the update writes no narrow copy where the job has none") {
  for (const char* optimizer : {"adam", "sgd", "lamb"}) {
    const auto written = [&](const Scenario& s) {
      double bytes = 0;
      const Workload w = sample::workload(s);
      for (const WorkOp& op : w.classes.front().step_ops)
        if (const auto* u = std::get_if<operator_models::Update>(&op.op)) bytes += u->written_bytes;
      return bytes;
    };
    const Sets of{std::string("job.optimizer=") + optimizer};
    CHECK(written(gpt(of)) - written(fp32(of)) == 2);
  }
}

// Nothing waits for the host or hides under compute: a longer kernel is a longer step.
const Sets kBare{"software.launch=0 s", "software.overlap.gradients=false", "software.overlap.parameters=false"};

TEST_CASE("a gap stands around each narrow GEMM, and around no other") {
  const Sets gap{"software.narrow_gap=10 us"};
  const auto seconds = [](const Sets& sets) { return sample::plan(llama(kBare + sets)).step->seconds; };
  // 64 sequences on 8 ranks: 8 microbatches through 8 layers of 4 linear layers, each of three products.
  CHECK(near(seconds(kFp8 + gap) - seconds(kFp8), 8 * 8 * 4 * 3 * 10e-6));
  const Sets bf16{"cluster={use: dgx-h100, gpus: 8}"};
  CHECK(seconds(bf16 + gap) == seconds(bf16));
}

TEST_CASE("experts that run by themselves have a gap of their own around each narrow GEMM") {
  const auto gaps = [](const Sets& sets) {
    const auto seconds = [&](const Sets& more) {
      const Scenario s = sample::scenario(mixtures::kMixture, kBare + sets + more);
      return sample::plan(s).step->seconds;
    };
    return seconds({"software.experts.narrow_gap=10 us"}) - seconds({"software.experts.narrow_gap=0 s"});
  };
  const Sets alone{"software.experts.grouped=false", "software.experts.wait=0 s"};
  const Scenario s = sample::scenario(mixtures::kMixture, kBare + kFp8 + alone);
  double products = 0;
  for (const OperatorRow& r : planner::operator_rows(s))
    if (r.kind == "gemm" && r.name.find("experts.fc") == 0) products += r.count;
  REQUIRE(products > 0);
  CHECK(near(gaps(kFp8 + alone), products * 10e-6));
  CHECK(gaps(alone) == 0);
  CHECK(gaps(kFp8 + Sets{"software.experts.grouped=true"}) == 0);
}

TEST_CASE("every kernel waits for a gap, but where the whole step is a graph") {
  const Sets gap{"software.gap=10 us"}, graph{"software.graphs=step"};
  const auto seconds = [](const Sets& sets) { return sample::plan(llama(kBare + sets)).step->seconds; };
  double kernels = 0;
  for (const OperatorRow& r : planner::operator_rows(llama(kBare)))
    if (r.op_class != "communication") kernels += r.count;
  CHECK(near(seconds(gap) - seconds({}), kernels * 10e-6, 0.02));  // an update launches several kernels
  CHECK(seconds(gap + graph) == seconds(graph));
}

TEST_CASE("frozen weights that are held in eight bits are not cast; adapters work in 16") {
  const Sets eight = kFp8 + Sets{"job.lora.rank=16", "software.narrow_attention=true"};
  for (int held : {1, 2}) {
    const Scenario s = llama(eight + Sets{"software.memory.weight=" + std::to_string(held)});
    for (const char* layer : {"attention.qkv", "attention.projection", "mlp.fc1", "mlp.fc2"})
      CHECK(casts(s).contains(std::string(layer) + ".cast-weight") == (held == 2));
    int adapters = 0;
    const Workload w = sample::workload(s);
    for (const WorkOp& op : w.layer().ops) {
      const auto* g = std::get_if<operator_models::Gemm>(&op.op);
      if (!g || !op.adapter) continue;
      ++adapters;
      CHECK(g->precision == Precision::bf16);
    }
    CHECK(adapters > 0);
  }
}
