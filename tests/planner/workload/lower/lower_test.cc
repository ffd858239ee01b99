// The unsharded layer: GEMM shapes, kernels, and Pati's operator table of BERT.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using planner::Block;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gemm;
using sample::gpt;
using sample::llama;
using sample::only;

namespace {

using Shape = std::array<int64_t, 4>;  // batch, m, n, k

Shape shape(const WorkOp& op) {
  const operator_models::Gemm g = gemm(op);
  return {g.batch, g.m, g.n, g.k};
}
Shape forward(const Block& block, const char* name) { return shape(only(block.ops, name)); }
Shape backward(const Block& block, const std::string& name) {
  return shape(only(block.ops, name, StepPhase::backward));
}

size_t count(const Block& block, const char* name, StepPhase phase) {
  return static_cast<size_t>(
      std::ranges::count_if(block.ops, [&](const WorkOp& op) { return op.name.str() == name && op.phase == phase; }));
}

/// Layers of the model that a block represents; prediction layers and ends count as they are.
int64_t count_of(const Block& block, const planner::Model& m) {
  if (block.kind == planner::BlockKind::prediction) return m.mtp;
  if (block.kind != planner::BlockKind::layer) return 1;
  return std::ranges::count(planner::layers_of(m), block.layer);
}

double flops(const Workload& w, const planner::Model& m, StepPhase phase) {
  double sum = 0;
  for (const Block& block : w.blocks)
    for (const WorkOp& op : block.ops)
      sum += op.phase == phase ? static_cast<double>(count_of(block, m)) * sample::gemm_flops(op) : 0;
  return sum;
}

planner::Scenario bert(const char* job, const char* microbatch, const char* precision = "fp32") {
  return sample::scenario(std::string("model: {use: bert-large}\njob: ") + job +
                              "\ncluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: ddp-apex}\n",
                          {std::string("parallelism.microbatch=") + microbatch, "job.optimizer=lamb",
                           std::string("job.precision=") + precision});
}

/// Pati 2024, table 4.3: forward, gradient of activations, gradient of weights; M x N x K and batch.
struct TableRow {
  const char* operation;
  std::vector<std::string> names;  // operators of ours
  Shape forward, activations, weights;
};
std::vector<TableRow> pati(int64_t n, int64_t batch) {
  constexpr int64_t d = 1024, ff = 4096, h = 16;
  const int64_t t = n * batch, many = batch * h;
  return {{"linear",
           {"attention.q", "attention.k", "attention.v", "attention.projection"},
           {1, d, t, d},
           {1, d, t, d},
           {1, d, d, t}},
          {"attention score", {"attention.score"}, {many, n, n, d / h}, {many, n, d / h, n}, {many, d / h, n, n}},
          {"attention output", {"attention.context"}, {many, d / h, n, n}, {many, d / h, n, n}, {many, n, n, d / h}},
          {"FC-1", {"mlp.fc1"}, {1, ff, t, d}, {1, d, t, ff}, {1, d, ff, t}},
          {"FC-2", {"mlp.fc2"}, {1, d, t, ff}, {1, ff, t, d}, {1, ff, d, t}}};
}

}  // namespace

TEST_CASE("a layer with full attention heads has one QKV, two batched, one output and two MLP GEMMs") {
  const Workload w = planner::lower(gpt({"parallelism.microbatch=2"}));
  CHECK(forward(w.layer(), "attention.qkv") == Shape{1, 3 * 1024, 2048, 1024});
  CHECK(forward(w.layer(), "attention.score") == Shape{32, 1024, 1024, 64});
  CHECK(forward(w.layer(), "attention.context") == Shape{32, 64, 1024, 1024});
  CHECK(forward(w.layer(), "attention.projection") == Shape{1, 1024, 2048, 1024});
  CHECK(forward(w.layer(), "mlp.fc1") == Shape{1, 4096, 2048, 1024});
  CHECK(forward(w.layer(), "mlp.fc2") == Shape{1, 1024, 2048, 4096});
  CHECK(backward(w.layer(), "attention.qkv.dgrad") == Shape{1, 1024, 2048, 3072});
  CHECK(backward(w.layer(), "attention.qkv.wgrad") == Shape{1, 1024, 3072, 2048});
  CHECK(backward(w.layer(), "mlp.fc2.dgrad") == Shape{1, 4096, 2048, 1024});
  CHECK(backward(w.layer(), "mlp.fc2.wgrad") == Shape{1, 4096, 1024, 2048});
  const auto gemms = std::ranges::count_if(
      w.layer().ops, [](const WorkOp& op) { return std::holds_alternative<operator_models::Gemm>(op.op); });
  CHECK(gemms == 18);
}

TEST_CASE("grouped and single key/value heads narrow the QKV GEMM and nothing else") {
  for (int64_t kv : {16, 4, 1}) {
    CAPTURE(kv);
    const Workload w = planner::lower(llama({"model.kv_heads=" + std::to_string(kv), "software.attention=unfused"}));
    CHECK(forward(w.layer(), "attention.qkv") == Shape{1, 1024 + 2 * kv * 64, 2048, 1024});
    CHECK(forward(w.layer(), "attention.score") == Shape{16, 2048, 2048, 64});
    CHECK(forward(w.layer(), "attention.projection") == Shape{1, 1024, 2048, 1024});
  }
}

TEST_CASE("a fused kernel sees the heads, the key/value heads and the mask") {
  const Workload w = planner::lower(llama({"parallelism.microbatch=2"}));
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const auto a = std::get<operator_models::Attention>(only(w.layer().ops, "attention.fused", phase).op);
    CHECK(std::tuple(a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_dim) ==
          std::tuple(2, 16, 4, 2048, 2048, 64));
    CHECK(a.causal);
    CHECK(a.backward == (phase == StepPhase::backward));
  }
  CHECK(sample::named(w.layer().ops, "attention.score").empty());
}

TEST_CASE("a gated MLP has twice the width in and the same width out") {
  const Workload gated = planner::lower(llama()), plain = planner::lower(llama({"model.gated_mlp=false"}));
  CHECK(forward(gated.layer(), "mlp.fc1") == Shape{1, 2 * 2816, 2048, 1024});
  CHECK(forward(gated.layer(), "mlp.fc2") == Shape{1, 1024, 2048, 2816});
  CHECK(forward(plain.layer(), "mlp.fc1") == Shape{1, 2816, 2048, 1024});
  CHECK(gated.layer().parameters() - plain.layer().parameters() == 1024.0 * 2816);
}

TEST_CASE("what the blocks own adds up to the model's parameters, for every model of the catalogue") {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  for (const std::string& name : dsl::catalog_names(catalog, "model")) {
    CAPTURE(name);
    const auto s = sample::scenario("model: {use: " + name +
                                    "}\njob: {sequence: 512, global_batch: 1}\n"
                                    "cluster: {use: dgx-a100-80gb, gpus: 1}\n");
    const Workload w = planner::lower(s);
    double sum = 0;
    for (const Block& block : w.blocks)
      if (block.kind != planner::BlockKind::prediction)
        sum += static_cast<double>(count_of(block, s.model)) * block.parameters(true);
    CHECK(sum == planner::parameters(s.model));
    for (const planner::Block& block : w.blocks)
      if (block.kind == planner::BlockKind::layer)
        CHECK(block.parameters() == planner::layer_parameters(s.model, block.layer));
  }
}

TEST_CASE("forward GEMMs are the model FLOPs with full attention, backward GEMMs twice as many") {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  for (const std::string& name : dsl::catalog_names(catalog, "model")) {
    CAPTURE(name);
    const auto s = sample::scenario("model: {use: " + name +
                                    "}\njob: {sequence: 512, global_batch: 8}\n"
                                    "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: megatron-2021}\n"
                                    "parallelism: {microbatch: 8}\n");
    if (!s.model.pattern.empty()) continue;  // scans are not GEMMs: layer_kinds_test.cc
    const Workload w = planner::lower(s);
    planner::Model whole = s.model;  // separate kernels compute the whole square, whatever the window
    whole.window.size = 0;
    const double forward_flops = flops(w, s.model, StepPhase::forward);
    // Experts take whole tokens: their even share, rounded.
    const double share =
        8.0 * 512 * static_cast<double>(whole.experts.top_k) / std::max(1.0, static_cast<double>(whole.experts.count));
    const double tolerance = share == std::floor(share) ? 1e-6 : 0.5 / share;
    CHECK(sample::near(forward_flops, planner::forward_flops(whole, 8 * 512, 512, false), tolerance));
    // The first of a list of operators has no input gradient.
    const double data = whole.operators.empty() ? 0 : 8 * planner::fixed_flops({whole.operators.front()});
    CHECK(sample::near(flops(w, s.model, StepPhase::backward), 2 * forward_flops - data, 1e-12));
  }
}

TEST_CASE("BERT-large has the fifteen GEMMs of Pati's table 4.3, and no other in its layers") {
  struct Case {
    const char* job;
    const char* microbatch;
    int64_t n, batch;
  };
  for (const Case& c : {Case{"{sequence: 128, global_batch: 32}", "32", 128, 32},
                        Case{"{sequence: 512, global_batch: 4}", "4", 512, 4}}) {
    CAPTURE(c.n);
    const planner::Scenario s = bert(c.job, c.microbatch);
    const Workload w = planner::lower(s);
    std::set<std::string> listed;
    int shapes = 0;
    for (const TableRow& row : pati(c.n, c.batch)) {
      CAPTURE(row.operation);
      shapes += 3;
      for (const std::string& name : row.names) {
        CAPTURE(name);
        CHECK(forward(w.layer(), name.c_str()) == row.forward);
        CHECK(backward(w.layer(), name + ".dgrad") == row.activations);
        CHECK(backward(w.layer(), name + ".wgrad") == row.weights);
        listed.insert({name, name + ".dgrad", name + ".wgrad"});
      }
    }
    CHECK(shapes == 15);
    for (const WorkOp& op : w.layer().ops)
      if (std::holds_alternative<operator_models::Gemm>(op.op)) CHECK_MESSAGE(listed.contains(op.name), op.name);
  }
}

TEST_CASE("the operator table of BERT-large shows the same shapes, by class") {
  const planner::Scenario s = bert("{sequence: 128, global_batch: 32}", "32");
  std::map<std::string, std::set<Shape>> shapes;
  std::map<std::string, double> calls;
  for (const planner::OperatorRow& row : planner::operator_rows(s)) {
    if (row.kind != "gemm" || row.layer != "layer") continue;
    Shape key{};
    for (const auto& [axis, size] : row.shape)
      key[axis == "batch" ? 0 : axis == "m" ? 1 : axis == "n" ? 2 : 3] = static_cast<int64_t>(size);
    shapes[row.op_class].insert(key);
    calls[row.op_class] += row.count;
  }
  std::map<std::string, std::set<Shape>> expected;
  for (const TableRow& row : pati(128, 32)) {
    const std::string name = row.operation;
    const char* op_class = name == "linear" ? "linear-gemm" : name.starts_with("FC") ? "fc-gemm" : "attention-gemm";
    expected[op_class].insert({row.forward, row.activations, row.weights});
  }
  CHECK(shapes == expected);
  CHECK(calls ==
        std::map<std::string, double>{{"linear-gemm", 24 * 12}, {"fc-gemm", 24 * 6}, {"attention-gemm", 24 * 6}});
}

TEST_CASE("arithmetic intensity of BERT-large orders FC, linear, attention and all other operators") {
  double fc = 0, linear = 0, attention = 0, least_fc = 1e9, least_linear = 1e9, least_attention = 1e9, other = 0;
  for (const planner::OperatorRow& row : planner::operator_rows(bert("{sequence: 128, global_batch: 32}", "32"))) {
    if (row.kind != "gemm") {
      other = std::max(other, row.intensity);
      CHECK_MESSAGE(row.intensity < 5, row.name);
    }
    if (row.layer != "layer") continue;
    auto widen = [&](double& least, double& most) {
      least = std::min(least, row.intensity);
      most = std::max(most, row.intensity);
    };
    if (row.op_class == "fc-gemm") widen(least_fc, fc);
    if (row.op_class == "linear-gemm") widen(least_linear, linear);
    if (row.op_class == "attention-gemm") widen(least_attention, attention);
  }
  for (double each : {least_fc, fc}) CHECK(each == doctest::Approx(341).epsilon(0.002));  // forward and both gradients
  for (double each : {least_linear, linear}) CHECK(each == doctest::Approx(228).epsilon(0.002));
  for (double each : {least_attention, attention}) CHECK(each == doctest::Approx(16).epsilon(0.002));
  CHECK(other < 5);
}

TEST_CASE("what the software does not fuse is a kernel of its own") {
  const Workload w = planner::lower(bert("{sequence: 128, global_batch: 32}", "32", "fp16"));
  for (const char* kernel :
       {"attention.q", "attention.k", "attention.v", "attention.q.bias", "attention.scale", "attention.mask",
        "attention.softmax", "mlp.fc1.bias", "mlp.activation", "mlp.bias", "mlp.add"})
    CHECK_MESSAGE(count(w.layer(), kernel, StepPhase::forward) == 1, kernel);
  const Workload fused = planner::lower(gpt());
  for (const char* kernel : {"attention.scale", "attention.mask", "mlp.fc1.bias", "mlp.bias"})
    CHECK_MESSAGE(count(fused.layer(), kernel, StepPhase::forward) == 0, kernel);
  CHECK(count(fused.layer(), "mlp.dropout-add", StepPhase::forward) == 1);
}

TEST_CASE("norms and softmax say how wide their rows are") {
  auto vector = [](const Block& block, const char* name, StepPhase phase) {
    return std::get<operator_models::Vector>(only(block.ops, name, phase).op);
  };
  const Workload w = planner::lower(gpt());
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    CHECK(vector(w.layer(), "attention.norm", phase).width == 1024);
    CHECK(vector(w.layer(), "attention.softmax", phase).width == 1024);
    CHECK(vector(w.layer(), "attention.dropout-add", StepPhase::forward).width == 0);
  }
  CHECK(vector(planner::lower(llama({"model.hidden=2048"})).layer(), "mlp.norm", StepPhase::forward).width == 2048);
  // Weights of a norm are reduced by a kernel of their own, which measured backward rates of norms have in them.
  CHECK_FALSE(vector(w.layer(), "attention.norm", StepPhase::backward).backward);
  CHECK(vector(w.layer(), "mlp.activation", StepPhase::backward).backward);
  CHECK_FALSE(vector(w.layer(), "mlp.activation", StepPhase::forward).backward);
}

TEST_CASE("Q, K and V may run side by side: they share a number and a producer") {
  const Workload w = planner::lower(bert("{sequence: 128, global_batch: 32}", "32"));
  const WorkOp q = only(w.layer().ops, "attention.q"), k = only(w.layer().ops, "attention.k"),
               v = only(w.layer().ops, "attention.v");
  CHECK(q.independent != 0);
  CHECK((q.independent == k.independent && k.independent == v.independent));
  CHECK(q.inputs == k.inputs);
  CHECK(k.inputs == v.inputs);
}

TEST_CASE("eight-bit precision narrows linear layers only, and casts their operands") {
  const Workload w =
      planner::lower(llama({"cluster={use: dgx-h100, gpus: 8}", "job.precision=fp8", "software.attention=unfused"}));
  CHECK(gemm(only(w.layer().ops, "mlp.fc1")).a_bytes == 1);
  CHECK(gemm(only(w.layer().ops, "attention.score")).a_bytes == 2);
  CHECK(gemm(only(w.head().ops, "head.logits")).a_bytes == 2);
  CHECK(count(w.layer(), "mlp.fc1.cast-input", StepPhase::forward) == 0);  // the norm before it writes eight bits
  CHECK(count(w.layer(), "mlp.fc2.cast-input", StepPhase::forward) == 1);
  CHECK(count(w.layer(), "mlp.fc2.cast-output-gradient", StepPhase::backward) == 1);
  CHECK(count(planner::lower(llama()).layer(), "mlp.fc2.cast-input", StepPhase::forward) == 0);
}

TEST_CASE("where the sequence comes first, queries, keys, values and context are copied around the fused kernel") {
  const planner::Scenario s = llama({"software.fusion.heads=false"});
  const Workload w = planner::lower(s), in_place = planner::lower(llama());
  const double context = 2.0 * 2048 * static_cast<double>(s.parallelism.microbatch) * 1024;
  for (const StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const auto& in = std::get<operator_models::Vector>(only(w.layer().ops, "attention.split-heads", phase).op);
    CHECK(in.read.value == context * (16 + 2 * 4) / 16);  // four heads of keys and of values to sixteen of queries
    CHECK(in.written.value == in.read.value);
    const auto& out = std::get<operator_models::Vector>(only(w.layer().ops, "attention.join-heads", phase).op);
    CHECK(out.read.value == context);
    CHECK(count(in_place.layer(), "attention.split-heads", phase) == 0);
  }
  CHECK(w.layer().saved_bytes() - in_place.layer().saved_bytes() == context);
}

TEST_CASE("a parallel block shares one norm and one input between attention and MLP") {
  const Workload two = planner::lower(gpt()), one = planner::lower(gpt({"model.parallel_block=true"}));
  CHECK(two.layer().parameters() - one.layer().parameters() == 2 * 1024);
  CHECK(count(two.layer(), "mlp.norm", StepPhase::forward) == 1);
  CHECK(count(one.layer(), "mlp.norm", StepPhase::forward) == 0);
  auto saves = [](const Block& b, const char* name) {
    return std::ranges::count_if(b.saved, [&](const planner::Saved& s) { return s.name.str() == name; });
  };
  CHECK(saves(two.layer(), "mlp.input") == 1);
  CHECK(saves(one.layer(), "mlp.input") == 0);
}

TEST_CASE("the masked-LM head sees the predicted positions only") {
  const Workload w = planner::lower(bert("{sequence: 128, global_batch: 32}", "32"));
  CHECK(forward(w.head(), "head.logits") == Shape{1, 30528, 640, 1024});  // 20 of 128 positions
  CHECK(forward(w.head(), "head.transform") == Shape{1, 1024, 640, 1024});
  CHECK(forward(w.head(), "head.pooler") == Shape{1, 1024, 32, 1024});
}
