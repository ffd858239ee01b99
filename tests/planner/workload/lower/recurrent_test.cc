// LSTM and GRU layers in lists of operators, and the models made of them: GNMT and DeepSpeech2.
#include <array>

#include "planner/plan/ops.h"
#include "planner/resolve/read.h"
#include "tests/planner/scenario/catalogue_model.h"
#include "tests/planner/workload/lower/fixed_sample.h"

using operator_models::Gemm;
using planner::Block;
using planner::FixedKind;
using planner::FixedOperator;
using planner::Scenario;
using planner::StepPhase;
using planner::WorkOp;
using sample::fixed_violation;
using sample::flops;
using sample::model_named;
using sample::near;
using sample::only;
using sample::Sets;
using sample::workload;

namespace {

// Batch 4, 5 steps; every width differs.
constexpr const char* kTwo = R"(
model:
  operators:
    - {name: words, kind: embedding, rows: job.sequence, in: 100, out: 24}
    - {name: lstm, kind: lstm, rows: job.sequence, in: 24, out: 32, bias: true}
    - {name: gru, kind: gru, rows: job.sequence, in: 32, out: 16, bidirectional: true, count: 3}
    - {name: mix, kind: product, rows: job.sequence, in: 7, out: 32}
job: {sequence: 5, global_batch: 4, precision: fp32, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 1}
software: {use: ddp-amp}
parallelism: {microbatch: 4}
)";
Scenario two(const Sets& sets = {}) { return sample::scenario(kTwo, sets); }
Scenario vega(const char* model, int sequence, const Sets& sets = {}) {
  using sample::operator+;
  return sample::scenario(sample::kVega,
                          Sets{std::string("model.use=") + model, "job.sequence=" + std::to_string(sequence)} + sets);
}

using Shape = std::array<int64_t, 3>;  // M x K x N, as the dissertation writes them
Shape shape(const WorkOp& op) {
  const Gemm g = sample::gemm(op);
  return {g.m, g.k, g.n};
}

const operator_models::Vector& vector(const WorkOp& op) { return std::get<operator_models::Vector>(op.op); }

double saved(const Block& block, std::string_view name) {
  for (const planner::Saved& s : block.saved)
    if (s.name.str() == name) return s.bytes;
  return 0;
}

double weight(const Block& block, std::string_view name) {
  for (const planner::Weight& w : block.weights)
    if (w.name.str() == name) return w.parameters;
  return 0;
}

std::string diagnostic(const std::string& model) {
  dsl::Sources sources;
  sources.push_back({.name = "test.yaml",
                     .text = "model: {operators: [" + model + "]}\njob: {sequence: 5, global_batch: 4}\n" +
                             "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: ddp-amp}\n"});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  CHECK_FALSE(planner::read_scenario(sources.back(), {}, catalog, sources, diagnostics));
  return diagnostics.list.empty() ? "" : diagnostics.list.front().message;
}

double gemm_share(const Scenario& s) {
  double share = 0;
  for (const planner::OperatorRow& row : planner::operator_rows(s))
    if (row.kind == "gemm") share += row.share;
  return share;
}

}  // namespace

TEST_CASE("an LSTM's inputs are one product over all steps, its state one of each step") {
  const Block b = workload(two()).layer();
  const WorkOp input = only(b.ops, "lstm.input"), hidden = only(b.ops, "lstm.hidden");
  CHECK(shape(input) == Shape{4 * 32, 24, 4 * 5});
  CHECK(input.count == 1);
  CHECK(shape(hidden) == Shape{4 * 32, 32, 4});
  CHECK(hidden.count == 5);
  const WorkOp back = only(b.ops, "lstm.hidden.dgrad", StepPhase::backward);
  CHECK(shape(back) == Shape{32, 4 * 32, 4});
  CHECK(back.count == 5);
  const WorkOp weights = only(b.ops, "lstm.hidden.wgrad", StepPhase::backward);
  CHECK(shape(weights) == Shape{32, 4 * 5, 4 * 32});
  CHECK(weights.count == 1);
  CHECK(shape(only(b.ops, "lstm.input.dgrad", StepPhase::backward)) == Shape{24, 4 * 32, 4 * 5});
  CHECK(shape(only(b.ops, "lstm.input.wgrad", StepPhase::backward)) == Shape{24, 4 * 5, 4 * 32});
}

TEST_CASE("a bidirectional GRU has three gates, and everything twice but its input") {
  const Block b = workload(two()).layer();
  CHECK(shape(only(b.ops, "gru.input")) == Shape{3 * 16, 32, 4 * 5});
  CHECK(only(b.ops, "gru.input").count == 3 * 2);
  CHECK(shape(only(b.ops, "gru.hidden")) == Shape{3 * 16, 16, 4});
  CHECK(only(b.ops, "gru.hidden").count == 3 * 2 * 5);
  CHECK(only(b.ops, "gru.hidden.wgrad", StepPhase::backward).count == 3 * 2);
  CHECK(only(b.ops, "gru.cell").count == 3 * 2 * 5);
  CHECK(saved(b, "gru.input") == 3 * 4.0 * 4 * 5 * 32);
  CHECK(saved(b, "gru.cell") == 3 * 2 * 4.0 * 4 * 5 * 5 * 16);
}

TEST_CASE("one kernel of each step runs the gates: what it reads, writes and keeps") {
  const Block b = workload(two()).layer();
  const double lstm = 4.0 * 4 * 32, gru = 4.0 * 4 * 16;  // bytes of a vector of the batch
  CHECK(near(vector(only(b.ops, "lstm.cell")).read.value, 9 * lstm));
  CHECK(near(vector(only(b.ops, "lstm.cell")).written.value, 6 * lstm));
  const WorkOp back = only(b.ops, "lstm.cell", StepPhase::backward);
  CHECK(back.count == 5);
  CHECK(near(vector(back).read.value, 9 * lstm));
  CHECK(near(vector(back).written.value, 5 * lstm));
  CHECK(near(vector(only(b.ops, "gru.cell")).read.value, 7 * gru));
  CHECK(near(vector(only(b.ops, "gru.cell")).written.value, 5 * gru));
  CHECK(near(vector(only(b.ops, "gru.cell", StepPhase::backward)).read.value, 7 * gru));
  CHECK(saved(b, "lstm.input") == 4.0 * 4 * 5 * 24);
  CHECK(saved(b, "lstm.cell") == 5 * 6 * lstm);
}

TEST_CASE("parameters: a matrix and a bias of each gate for the input and for the state, in each direction") {
  const Block b = workload(two()).layer();
  CHECK(weight(b, "lstm.input") == 4 * 32 * 24);
  CHECK(weight(b, "lstm.hidden") == 4 * 32 * 32);
  CHECK(weight(b, "lstm.input.bias") == 4 * 32);
  CHECK(weight(b, "lstm.hidden.bias") == 4 * 32);
  const double all = 100 * 24 + 4 * 32 * (24 + 32) + 2 * 4 * 32 + 3 * 2 * 3 * 16 * (32 + 16);
  CHECK(planner::parameters(two().model) == all);
  CHECK(b.parameters() == all);
}

TEST_CASE("FLOPs are six times the multiply-adds, of them two forward") {
  const Block b = workload(two()).layer();
  const double of_a_step = 4 * 32 * (24 + 32) + 3 * 2 * 3 * 16 * (32 + 16) + 7 * 32;
  CHECK(near(flops(b, StepPhase::forward), 2 * 4 * 5 * of_a_step));
  CHECK(near(flops(b, StepPhase::backward), 4 * 4 * 5 * of_a_step));
  CHECK(near(planner::forward_flops(two().model, 4 * 5, 5, true), 2 * 4 * 5 * of_a_step));
}

TEST_CASE("a product of activations has two gradients and no weight") {
  const Block b = workload(two()).layer();
  CHECK(shape(only(b.ops, "mix")) == Shape{32, 7, 5});
  CHECK(sample::gemm(only(b.ops, "mix")).batch == 4);
  CHECK(shape(only(b.ops, "mix.dgrad", StepPhase::backward)) == Shape{7, 32, 5});
  CHECK(shape(only(b.ops, "mix.wgrad", StepPhase::backward)) == Shape{32, 5, 7});
  CHECK(weight(b, "mix") == 0);
  CHECK(saved(b, "mix.inputs") == 4.0 * 4 * 7 * (5 + 32));
}

TEST_CASE("an embedding is reduced and updated like other weights; a lookup's tables are not") {
  const planner::Workload w = workload(two({"cluster.gpus=4", "job.global_batch=16"}));
  CHECK(sample::collective(only(w.classes.front().step_ops, "data.all-reduce", StepPhase::backward)).bytes.value ==
        4 * planner::parameters(two().model));
  CHECK(w.layer().trained().sum() == w.layer().held().sum());
  CHECK(std::get<operator_models::Lookup>(only(w.layer().ops, "words").op).rows == 4 * 5);
  CHECK(planner::active_parameters(two().model) == planner::parameters(two().model) - 100 * 24);
}

TEST_CASE("longer sequences repeat the same steps, larger batches widen them") {
  const Block five = workload(two()).layer(), ten = workload(two({"job.sequence=10"})).layer();
  CHECK(shape(only(ten.ops, "lstm.hidden")) == shape(only(five.ops, "lstm.hidden")));
  CHECK(only(ten.ops, "lstm.hidden").count == 2 * only(five.ops, "lstm.hidden").count);
  CHECK(shape(only(ten.ops, "lstm.input"))[2] == 2 * shape(only(five.ops, "lstm.input"))[2]);
  CHECK(five.parameters() == ten.parameters());
  double last = 0;
  for (const char* sequence : {"job.sequence=1", "job.sequence=5", "job.sequence=10", "job.sequence=50"}) {
    const double seconds = sample::plan(two({sequence})).step->seconds;
    CHECK(seconds > last);
    last = seconds;
  }
  const Sets wide{"parallelism.microbatch=2048", "job.global_batch=2048"};
  CHECK(sample::plan(two(wide)).step->seconds > sample::plan(two()).step->seconds);
  // Twice the batch in the same steps takes less than twice the time.
  const Sets eight{"parallelism.microbatch=8", "job.global_batch=8"};
  CHECK(sample::plan(two(eight)).step->seconds < 1.5 * sample::plan(two()).step->seconds);
}

TEST_CASE("a forward-only job runs no gradients and keeps nothing") {
  const planner::Workload w = workload(two({"job.phase=forward"}));
  for (const WorkOp& op : w.layer().ops) CHECK(op.phase == StepPhase::forward);
  CHECK(w.layer().saved_bytes() == 0);
  CHECK(only(w.layer().ops, "lstm.hidden").count == 5);
}

TEST_CASE("nobody wants the gradient of the data that a first layer reads") {
  const Scenario s = two({"model.operators=[{name: a, kind: gru, rows: job.sequence, in: 6, out: 8}]"});
  const Block b = workload(s).layer();
  CHECK(sample::named(b.ops, "a.input.dgrad").empty());
  CHECK(sample::named(b.ops, "a.hidden.dgrad").size() == 1);
  CHECK(b.input_bytes == 4.0 * 4 * 5 * 6);
}

TEST_CASE("windows and strides of a convolution may differ in height and width") {
  FixedOperator o;
  o.kind = FixedKind::convolution;
  o.rows = 10, o.in = 2, o.out = 3;
  o.kernel = 21, o.kernel_width = 11;
  o.stride = 2, o.stride_width = 1;
  CHECK(planner::fixed_parameters({o}) == 2 * 21 * 11 * 3);
  CHECK(planner::step_of(o) == 2);
  CHECK(planner::fixed_flops({o}) == 2 * 10 * 2 * 21 * 11 * 3);
}

TEST_CASE("GNMT and DeepSpeech2 have the GEMMs of the dissertation's table 3.1") {
  struct Case {
    const char* model;
    int sequence;
    Shape a, b;
  };
  for (const Case& c : {Case{"gnmt", 94, {36549, 1024, 6016}, {1024, 36549, 6016}},
                        Case{"gnmt", 9, {36549, 1024, 576}, {1024, 36549, 576}},
                        Case{"deepspeech2", 402, {29, 1600, 25728}, {1600, 29, 25728}},
                        Case{"deepspeech2", 59, {29, 1600, 3776}, {1600, 29, 3776}}}) {
    CAPTURE(c.model);
    const Block b = workload(vega(c.model, c.sequence)).layer();
    CHECK(shape(only(b.ops, "classifier")) == c.a);
    CHECK(shape(only(b.ops, "classifier.dgrad", StepPhase::backward)) == c.b);
  }
}

TEST_CASE("more than half of GNMT's time is matrix products (the dissertation's section 3.5)") {
  for (const int sequence : {9, 94}) CHECK(gemm_share(vega("gnmt", sequence)) > 0.5);
}

TEST_CASE("recurrent models have their published parameters") {
  // An LSTM from 1024 (2048) values to 1024, with both biases.
  const double narrow = 4 * 1024 * (1024 + 1024) + 2 * 4 * 1024, wide = narrow + 4 * 1024 * 1024;
  const double attention = 2 * 1024 * 1024 + 2 * 1024 + 1;
  // gnmt_sizes of DistributedOptimizerTest (a test of optimizers around FusedAdam): "MLPerf GNMT has 160671297
  // parameters".
  CHECK(planner::parameters(model_named("gnmt-v2")) == 160671297);
  CHECK(5 * narrow + 4 * wide + attention + 32320 * (2 * 1024 + 1) == 160671297);
  const double gnmt = planner::parameters(model_named("gnmt"));
  CHECK(gnmt == 9 * narrow + 8 * wide + attention + 3 * 36549 * 1024.0);
  // Shazeer et al. 2017, arXiv:1701.06538, table 2: 278M, with 32,000 words.
  CHECK(near(gnmt - 3 * (36549 - 32000) * 1024.0, 278e6, 0.005));
  // tensorflow/models research/deep_speech, but with both biases of each gate.
  const double convolutions = 41 * 11 * 32 + 21 * 11 * 32 * 32 + 2 * 2 * 32;
  const double layers = 2 * 3 * 800 * (4128 + 800 + 2) + 4 * 2 * 3 * 800 * (1600 + 800 + 2);
  CHECK(planner::parameters(model_named("deepspeech2")) == convolutions + layers + 5 * 2 * 1600 + 1600 * 29 + 29);
}

TEST_CASE("a model of the catalogue read alone has rows for a sequence of 1") {
  for (const FixedOperator& o : model_named("gnmt").operators) CHECK(o.rows == 1);
  const std::vector<FixedOperator> job = vega("gnmt", 94).model.operators;
  CHECK(job.front().rows == 94);
  for (const FixedOperator& o : job)
    if (o.name == "attention.score") CHECK(o.rows == 94 * 94);
}

TEST_CASE("mistakes in recurrent layers are told") {
  for (const char* kind : {"lstm", "gru", "embedding", "product"})
    CHECK(diagnostic(std::string("{name: a, kind: ") + kind + ", out: 4}") ==
          "missing required field model.operators[0].in");
  CHECK(fixed_violation(two({"model.operators=[{name: a, kind: linear, in: 4, out: 4}]"})) ==
        "a sample of fixed operators is a sequence of 1, not 5");
  CHECK(diagnostic("{name: a, kind: lstm, in: 4, out: 4, layers: 2}") == "unknown field 'model.operators[0].layers'");
  CHECK(diagnostic("{name: a, kind: lstm, in: 4}") == "missing required field model.operators[0].out");
  CHECK(diagnostic("{name: a, kind: ltsm, in: 4, out: 4}").find("ltsm") != std::string::npos);
  CHECK(diagnostic("{name: a, kind: gru, rows: job.sequnce, in: 4, out: 4}").find("job.sequnce") != std::string::npos);
}

TEST_CASE("products of each step compute, keep and own what one product of all steps does") {
  const Block fused = workload(two()).layer(), apart = workload(two({"software.fusion.recurrent=false"})).layer();
  REQUIRE(apart.ops.size() == fused.ops.size());
  for (size_t i = 0; i < fused.ops.size(); ++i) {
    CAPTURE(fused.ops[i].name.str());
    CHECK(sample::gemm_flops(apart.ops[i]) == sample::gemm_flops(fused.ops[i]));
    const bool step = apart.ops[i].count != fused.ops[i].count;
    CHECK(step == (apart.ops[i].name.str().find(".input") != std::string::npos && !apart.ops[i].weight_gradient &&
                   std::holds_alternative<Gemm>(apart.ops[i].op)));
    if (step) CHECK(shape(apart.ops[i])[2] == 4);  // the batch
  }
  CHECK(apart.saved.size() == fused.saved.size());
  CHECK(apart.weights.size() == fused.weights.size());
}
