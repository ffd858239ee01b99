// Models that are a fixed list of operators: ResNet-50 and DLRM.
#include <algorithm>

#include "planner/resolve/read.h"
#include "tests/planner/scenario/catalogue_model.h"
#include "tests/planner/workload/lower/fixed_sample.h"

using planner::Block;
using planner::FixedOperator;
using planner::Model;
using planner::Scenario;
using planner::StepPhase;
using planner::WorkOp;
using sample::fixed_violation;
using sample::flops;
using sample::model_named;
using sample::near;
using sample::Sets;
using sample::workload;

namespace {

constexpr const char* kResnet = R"(
model: {use: resnet-50}
job: {sequence: 1, global_batch: 1024, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: ddp-amp}
parallelism: {microbatch: 64}
)";
constexpr const char* kDlrm = R"(
model: {use: dlrm-large}
job: {sequence: 1, global_batch: 65536, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: dlrm-graphs}
parallelism: {microbatch: 8192}
)";
constexpr const char* kSmall = R"(
model:
  operators:
    - {name: first, kind: linear, in: 32, out: 64, bias: true}
    - {name: table, kind: lookup, out: 16, tables: [1000, 10, 500, 500, 20]}
    - {name: conv, kind: convolution, rows: 49, in: 8, out: 24, kernel: 3, stride: 2, count: 2}
job: {sequence: 1, global_batch: 64, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 4}
software: {use: ddp-amp}
parallelism: {microbatch: 4}
)";

Scenario resnet(const Sets& sets = {}) { return sample::scenario(kResnet, sets); }
Scenario small(const Sets& sets = {}) { return sample::scenario(kSmall, sets); }

double matrices(const Model& m) {
  double sum = 0;
  for (const FixedOperator& o : m.operators)
    if (planner::is_matrix(o.kind)) sum += static_cast<double>(o.count);
  return sum;
}

const operator_models::Lookup& lookup(const WorkOp& op) { return std::get<operator_models::Lookup>(op.op); }

}  // namespace

TEST_CASE("the list has the published parameters and FLOPs") {
  const Model m = model_named("resnet-50");
  CHECK(planner::parameters(m) == 25557032);                             // torchvision resnet50
  CHECK(matrices(m) == 54);                                              // 53 convolutions and the classifier
  CHECK(near(planner::forward_flops(m, 1, 1, true), 2 * 4.09e9, 0.01));  // torchvision: 4.09 GFLOPS of multiply-adds
  CHECK(near(planner::parameters(model_named("dlrm-small")), 4.2e9, 0.01));
  CHECK(near(planner::parameters(model_named("dlrm-large")), 22.8e9, 0.01));
  CHECK(planner::active_parameters(model_named("dlrm-large")) == planner::active_parameters(model_named("dlrm-small")));
}

TEST_CASE("what a step executes is the model's FLOPs: backward twice forward, less the first input's gradient") {
  for (const Scenario& s : {resnet(), small()}) {
    const Block block = workload(s).layer();
    const double samples = static_cast<double>(s.parallelism.microbatch);
    const double forward = flops(block, StepPhase::forward);
    CHECK(near(forward, planner::forward_flops(s.model, samples, 1, true)));
    const double first = planner::fixed_flops({s.model.operators.front()}) * samples;
    CHECK(near(flops(block, StepPhase::backward), 2 * forward - first));
  }
}

TEST_CASE("twice the samples are twice the rows; weights stay") {
  const planner::Workload one = workload(resnet()), two = workload(resnet({"parallelism.microbatch=128"}));
  REQUIRE(one.layer().ops.size() == two.layer().ops.size());
  CHECK(near(2 * flops(one.layer(), StepPhase::forward), flops(two.layer(), StepPhase::forward)));
  CHECK(near(2 * one.layer().saved_bytes(), two.layer().saved_bytes()));
  CHECK(one.layer().parameters() == two.layer().parameters());
  CHECK(one.microbatches == 2 * two.microbatches);
}

TEST_CASE("data parallelism conserves the step's work, and reduces what is trained densely") {
  for (const char* gpus : {"cluster.gpus=1", "cluster.gpus=4"}) {
    const Scenario s = small({gpus});
    const planner::Workload w = workload(s);
    const double ranks = static_cast<double>(s.parallelism.dp);
    CHECK(near(ranks * static_cast<double>(w.microbatches) * flops(w.layer(), StepPhase::forward),
               planner::forward_flops(s.model, 64, 1, true)));
    const auto reductions = sample::named(w.classes.front().step_ops, "data.all-reduce");
    REQUIRE(reductions.size() == (ranks > 1 ? 1 : 0));
    if (ranks > 1)
      CHECK(sample::collective(reductions.front()).bytes.value ==
            4 * (planner::parameters(s.model) - planner::fixed_tables(s.model.operators)));
  }
}

TEST_CASE("tables are dealt to the data ranks, the largest first, and their rows exchanged") {
  const planner::Workload one = workload(small({"cluster.gpus=1"})), four = workload(small());
  // 5 tables on 4 ranks: two at most, and the table of 1000 rows takes no neighbour.
  const double held = four.layer().held().sum() - four.layer().trained().sum();
  CHECK(near(held, 1000 * 16));
  CHECK(near(one.layer().held().sum() - one.layer().trained().sum(), 2030 * 16));
  CHECK(lookup(sample::only(one.layer().ops, "table")).rows == 4 * 5);
  CHECK(lookup(sample::only(four.layer().ops, "table")).rows == 4 * 4 * 2);  // two tables, samples of all ranks
  for (auto [name, phase] :
       {std::pair{"table.exchange", StepPhase::forward}, std::pair{"table.exchange-gradient", StepPhase::backward}}) {
    const operator_models::Collective c = sample::collective(sample::only(four.layer().ops, name, phase));
    CHECK(c.kind == operator_models::CollectiveKind::all_to_all);
    CHECK(c.group.ranks == 4);
    CHECK(c.bytes.value == 4 * 4 * 2 * 16 * 2);
    CHECK(sample::named(one.layer().ops, name).empty());
  }
}

TEST_CASE("more ranks than tables: one table each, and none for the others") {
  const planner::Workload w = workload(small({"cluster.gpus=8"}));
  CHECK(lookup(sample::only(w.layer().ops, "table")).rows == 8 * 4);
  CHECK(near(w.layer().held().sum() - w.layer().trained().sum(), 1000 * 16));
}

TEST_CASE("a table has no gradient and no optimizer state") {
  const Scenario s = sample::scenario(kSmall, {"software.memory.optimizer=8"});
  const planner::Memory m = planner::make_memory(s, workload(s));
  const double dense = planner::parameters(s.model) - planner::fixed_tables(s.model.operators);
  CHECK(m.stages.front().gradients == 4 * dense);
  CHECK(m.stages.front().optimizer == 8 * dense);
  CHECK(m.stages.front().weights == 4 * (dense + 1000 * 16));
}

TEST_CASE("only data parallelism, one layer, one sample") {
  CHECK(fixed_violation(resnet()).empty());
  CHECK(fixed_violation(resnet({"parallelism.tp=2"})) ==
        "a fixed operator list is data parallel only: tp 2 would not split its operators; leave such degrees at 1, and "
        "dp takes all 8 GPUs");
  for (const char* set : {"parallelism.tp=2", "parallelism.pp=4", "parallelism.cp=2", "parallelism.ep=2"})
    CHECK(planner::layout_violations(resnet({set})).size() == 1);  // no word of heads, experts or layers
  CHECK(fixed_violation(resnet({"parallelism.pp=2"})).starts_with("a fixed operator list is data parallel only"));
  CHECK(fixed_violation(resnet({"parallelism.stages=[1, 2]"})) ==
        "a fixed operator list is one part; parallelism.stages lists 1, 2");
  CHECK(fixed_violation(resnet({"parallelism.stages=[1]"})).empty());
  CHECK(fixed_violation(resnet({"model.layers=2"})) == "a fixed operator list is one layer, not 2");
  CHECK(fixed_violation(resnet({"job.sequence=8"})) == "a sample of fixed operators is a sequence of 1, not 8");
  CHECK(fixed_violation(resnet({"parallelism.zero=1"})).empty());
  CHECK(fixed_violation(small({"parallelism.zero=1"})).starts_with("ZeRO 1 cannot shard 'table'"));
  CHECK(fixed_violation(small({"model.operators=[{name: a, kind: linear, in: 0, out: 4}]"})) ==
        "operator 'a' needs 'in'");
  CHECK(fixed_violation(small({"model.operators=[{name: a, kind: lookup, out: 4, tables: []}]"})) ==
        "operator 'a' needs 'tables'");
}

TEST_CASE("a model of operators needs no layers, heads and vocabulary; a Transformer does") {
  const planner::Model m = small().model;
  CHECK(m.layers == 1);
  for (const char* model : {"model: {}", "model: {operators: []}"}) {
    dsl::Sources sources;
    sources.push_back({.name = "test.yaml",
                       .text = std::string(model) + "\njob: {sequence: 1, global_batch: 1}\n"
                                                    "cluster: {use: dgx-a100-80gb, gpus: 8}\n"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    dsl::Diagnostics diagnostics;
    CHECK_FALSE(planner::read_scenario(sources.back(), {}, catalog, sources, diagnostics));
    for (const char* field : {"layers", "hidden", "heads", "vocab"})
      CHECK(std::any_of(diagnostics.list.begin(), diagnostics.list.end(), [&](const dsl::Diagnostic& d) {
        return d.message == "missing required field model." + std::string(field);
      }));
  }
}

TEST_CASE("the side of an image is of lists of operators") {
  const auto told = [](const std::string& image) {
    dsl::Sources sources;
    sources.push_back({.name = "test.yaml",
                       .text = "model: {use: gpt3-13b, image: " + image +
                               "}\njob: {sequence: 1024, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    dsl::Diagnostics diagnostics;
    planner::read_scenario(sources.back(), {}, catalog, sources, diagnostics);
    return diagnostics.has_errors() ? diagnostics.list.front().message : "";
  };
  CHECK(told("224").starts_with("model.image: the model has no operators"));
  CHECK(told("0").empty());
}

TEST_CASE("plans of the examples stand") {
  const planner::Plan p = sample::plan(sample::scenario(kResnet, {"parallelism.recompute=full"}));
  CHECK(p.step->seconds > sample::plan(resnet()).step->seconds);
  const planner::Plan forward = sample::plan(resnet({"job.phase=forward"}));
  CHECK(forward.step->seconds < 0.5 * sample::plan(resnet()).step->seconds);
  CHECK(sample::plan(sample::scenario(kDlrm)).feasible);
}

TEST_CASE("rows of the image models follow the side of the image, as their padding and strides round it") {
  struct Row {
    const char *model, *image;
    std::vector<int64_t> sides;  // of the operators that shrink it, the last one first
  };
  for (const Row& r : {Row{"inception-v3", "299", {8, 17, 35, 71, 73, 147, 149}},
                       {"inception-v3", "224", {5, 12, 25, 52, 54, 109, 111}},
                       {"resnet-50", "224", {7, 14, 28, 56, 112}},
                       {"resnet-50", "225", {8, 15, 29, 57, 113}},
                       {"vgg-16", "224", {7, 14, 28, 56, 112, 224}},
                       {"vgg-16", "65", {2, 4, 8, 16, 32, 65}}}) {
    INFO(std::string(r.model), " ", std::string(r.image));
    const std::string image = "model.image=" + std::string(r.image);
    const Scenario s = sample::scenario(kResnet, {"model.use=" + std::string(r.model), image});
    std::vector<int64_t> rows, expected;
    for (const FixedOperator& o : s.model.operators)
      if (o.rows > 1) rows.push_back(o.rows);
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int64_t side : r.sides) expected.push_back(side * side);
    CHECK(rows == expected);
  }
}
