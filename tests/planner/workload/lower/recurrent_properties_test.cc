// Lists of operators with LSTM, GRU, embedding, product and oblong convolutions: laws that hold whatever the sizes, the
// commands that read such models, and the platform of every accelerator.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/workload/passes/passes.h"
#include "tests/cli/harness.h"
#include "tests/planner/workload/lower/fixed_sample.h"

using operator_models::CollectiveKind;
using operator_models::Update;
using planner::Block;
using planner::FixedKind;
using planner::FixedOperator;
using planner::Scenario;
using planner::StepPhase;
using planner::WorkOp;
using sample::flops;
using sample::near;
using sample::only;
using sample::Sets;
using sample::workload;
using Json = nlohmann::ordered_json;
using sample::operator+;

namespace {

// The embedding comes first, so that every matrix behind it has both gradients.
constexpr const char* kText = R"(
model:
  operators:
    - {name: words, kind: embedding, rows: job.sequence, in: 50, out: 12}
    - {name: lstm, kind: lstm, rows: job.sequence, in: 12, out: 20, bias: true}
    - {name: gru, kind: gru, rows: job.sequence, in: 20, out: 8, bidirectional: true, count: 2}
    - {name: mix, kind: product, rows: job.sequence, in: 9, out: 16}
    - {name: top, kind: linear, rows: job.sequence, in: 16, out: 50, bias: true}
job: {sequence: 6, global_batch: 4, precision: fp32, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 1}
software: {use: ddp-amp}
parallelism: {microbatch: 4}
)";

/// The sample scenario with other operators behind the embedding.
Scenario list(const std::string& operators, const Sets& sets = {}) {
  const std::string first = "{name: words, kind: embedding, rows: job.sequence, in: 50, out: 12}, ";
  return sample::scenario(kText, Sets{"model.operators=[" + first + operators + "]"} + sets);
}
Scenario all(const Sets& sets = {}) { return sample::scenario(kText, sets); }

Sets batch_of(int64_t samples) {
  return {"job.global_batch=" + std::to_string(samples), "parallelism.microbatch=" + std::to_string(samples)};
}
Sets sequence_of(int64_t steps) { return {"job.sequence=" + std::to_string(steps)}; }
/// `ranks` data ranks, each with the sample's 4 samples.
Sets ranks_of(int64_t ranks) {
  return {"cluster.gpus=" + std::to_string(ranks), "job.global_batch=" + std::to_string(4 * ranks)};
}

double forward(const Scenario& s) { return flops(workload(s).layer(), StepPhase::forward); }
double backward(const Scenario& s) { return flops(workload(s).layer(), StepPhase::backward); }

struct Size {
  int64_t batch, steps, in, out;
};
constexpr std::array kSizes{Size{1, 1, 1, 1}, Size{1, 7, 3, 5}, Size{4, 1, 16, 8}, Size{3, 11, 8, 64},
                            Size{64, 94, 1024, 1024}};

std::string layer(const char* kind, const Size& z, const std::string& more = "") {
  return std::string("{name: a, kind: ") + kind + ", rows: job.sequence, in: " + std::to_string(z.in) +
         ", out: " + std::to_string(z.out) + more + "}";
}
Sets sets_of(const Size& z) { return batch_of(z.batch) + sequence_of(z.steps); }

FixedOperator convolution(std::array<int64_t, 2> kernel, std::array<int64_t, 2> stride) {
  FixedOperator o;
  o.kind = FixedKind::convolution;
  o.rows = 30, o.in = 4, o.out = 36;
  o.kernel = kernel[0], o.kernel_width = kernel[1];
  o.stride = stride[0], o.stride_width = stride[1];
  return o;
}

/// A command on the sample scenario; more than its arguments, and its JSON.
Ran command(const std::string& name, const Sets& sets, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args{name, "-", "--quiet"};
  for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kText);
}
Json json_of(const std::string& name, const Sets& sets) {
  const Ran r = command(name, sets, {"--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out);
}

/// The platform that `show` prints for an accelerator.
std::string platform_of(const std::string& accelerator) {
  const Ran r = ran({"show", "accelerator/" + accelerator, "--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json shown = Json::parse(r.out);
  for (const Json& figure : shown["figures"])
    if (figure["name"] == "platform") return figure["value"];
  return "";
}

}  // namespace

TEST_CASE("a recurrent layer does 2 B S G H (I + H) FLOPs forward and twice that backward") {
  struct Kind {
    const char* name;
    double gates;
  };
  for (const Kind& k : {Kind{"lstm", 4}, Kind{"gru", 3}})
    for (const Size& z : kSizes) {
      CAPTURE(k.name);
      CAPTURE(z.out);
      const Scenario s = list(layer(k.name, z), sets_of(z));
      const double h = static_cast<double>(z.out), i = static_cast<double>(z.in);
      const double by_hand = 2.0 * static_cast<double>(z.batch * z.steps) * k.gates * h * (i + h);
      CHECK(near(forward(s), by_hand));
      CHECK(near(backward(s), 2 * by_hand));
      CHECK(near(planner::fixed_flops(s.model.operators) * static_cast<double>(z.batch), by_hand));
    }
}

TEST_CASE("two directions are twice one, in FLOPs, parameters and kept cells") {
  for (const char* kind : {"lstm", "gru"})
    for (const Size& z : kSizes) {
      const Scenario one = list(layer(kind, z, ", bias: true"), sets_of(z));
      const Scenario two = list(layer(kind, z, ", bias: true, bidirectional: true"), sets_of(z));
      CHECK(near(forward(two), 2 * forward(one)));
      CHECK(near(backward(two), 2 * backward(one)));
      const double words = 50 * 12;
      CHECK(planner::parameters(two.model) - words == 2 * (planner::parameters(one.model) - words));
      // Both directions read the same input, which is kept once.
      const double input = 4.0 * static_cast<double>(z.batch * z.steps * z.in);
      CHECK(near(workload(two).layer().saved_bytes() - input, 2 * (workload(one).layer().saved_bytes() - input)));
    }
}

TEST_CASE("a GRU has three quarters of an LSTM's matrices") {
  for (const Size& z : kSizes) {
    const Scenario lstm = list(layer("lstm", z, ", bias: true"), sets_of(z));
    const Scenario gru = list(layer("gru", z, ", bias: true"), sets_of(z));
    CHECK(near(4 * forward(gru), 3 * forward(lstm)));
    CHECK(near(4 * backward(gru), 3 * backward(lstm)));
    const double words = 50 * 12;
    CHECK(4 * (planner::parameters(gru.model) - words) == 3 * (planner::parameters(lstm.model) - words));
  }
}

TEST_CASE("a product is one matrix for each sample, with gradients of both operands") {
  for (const Size& z : kSizes) {
    const Scenario s = list(layer("product", z), sets_of(z));
    CHECK(near(forward(s), 2.0 * static_cast<double>(z.batch * z.steps) * static_cast<double>(z.in * z.out)));
    CHECK(near(backward(s), 2 * forward(s)));
    CHECK(planner::parameters(s.model) == 50 * 12);
  }
}

TEST_CASE("the whole list has the parameters of its layers, with and without biases") {
  const double words = 50 * 12, lstm = 4 * 20 * (12 + 20), gru = 2 * 2 * 3 * 8 * (20 + 8), top = 16 * 50;
  const double biases = 2 * 4 * 20 + 50;
  CHECK(planner::parameters(all().model) == words + lstm + gru + top + biases);
  CHECK(workload(all()).layer().parameters() == words + lstm + gru + top + biases);
  const Size z{4, 6, 12, 20};
  CHECK(planner::parameters(list(layer("lstm", z, ", bias: true")).model) == words + lstm + 2 * 4 * 20);
  CHECK(planner::parameters(list(layer("lstm", z)).model) == words + lstm);
  CHECK(planner::parameters(list(layer("lstm", z, ", count: 5")).model) == words + 5 * lstm);
}

TEST_CASE("FLOPs and kept activations follow the samples and the steps, parameters neither") {
  const Block base = workload(all()).layer();
  for (const int64_t times : {2, 3, 8}) {
    const Block wide = workload(all(batch_of(4 * times))).layer();
    const double n = static_cast<double>(times);
    CHECK(near(flops(wide, StepPhase::forward), n * flops(base, StepPhase::forward)));
    CHECK(near(flops(wide, StepPhase::backward), n * flops(base, StepPhase::backward)));
    CHECK(near(wide.saved_bytes(), n * base.saved_bytes()));
    const Block deep = workload(all(sequence_of(6 * times))).layer();
    CHECK(near(flops(deep, StepPhase::forward), n * flops(base, StepPhase::forward)));
    CHECK(near(flops(deep, StepPhase::backward), n * flops(base, StepPhase::backward)));
    // A product keeps its second operand too, which has no row for each step: 9 x 16 values of each of 4 samples.
    const double second = 4.0 * 4 * 9 * 16;
    CHECK(near(deep.saved_bytes() - second, n * (base.saved_bytes() - second)));
    CHECK(wide.parameters() == base.parameters());
    CHECK(deep.parameters() == base.parameters());
  }
}

TEST_CASE("every kept byte of a layer is its input's or its cells'") {
  struct Kept {
    const char* kind;
    double vectors;  // of `out` values for each step: the gates, and additional inputs of the backward kernel
  };
  for (const Kept& k : {Kept{"lstm", 6}, Kept{"gru", 5}})
    for (const Size& z : kSizes) {
      const double rows = static_cast<double>(z.batch * z.steps);
      const double cells = 4 * rows * k.vectors * static_cast<double>(z.out);
      const double input = 4 * rows * static_cast<double>(z.in);
      CHECK(near(workload(list(layer(k.kind, z), sets_of(z))).layer().saved_bytes(), input + cells));
      const Scenario shared = list(layer(k.kind, z, ", keeps_input: false"), sets_of(z));
      CHECK(near(workload(shared).layer().saved_bytes(), cells));
    }
}

TEST_CASE("every optimizer updates every parameter, embeddings too") {
  const double parameters = planner::parameters(all().model);
  struct Row {
    const char *optimizer, *kernel;
  };
  for (const Row& row : {Row{"sgd", "sgd"}, Row{"adam", "adam"}, Row{"lamb", "lamb.stage2"}}) {
    const planner::Workload w = workload(all({std::string("job.optimizer=") + row.optimizer}));
    const WorkOp op = only(w.classes.front().step_ops, row.kernel, StepPhase::optimizer);
    CHECK(std::get<Update>(op.op).parameters == parameters);
  }
}

TEST_CASE("data ranks run the same operators and reduce each parameter once") {
  const planner::Workload one = workload(all());
  CHECK(sample::named(one.classes.front().step_ops, "data.all-reduce").empty());
  for (const int64_t ranks : {2, 8})
    for (const char* bytes : {"2", "4"}) {
      const planner::Workload many =
          workload(all(ranks_of(ranks) + Sets{std::string("software.reduce_bytes=") + bytes}));
      REQUIRE(many.layer().ops.size() == one.layer().ops.size());
      for (size_t i = 0; i < one.layer().ops.size(); ++i) {
        CHECK(many.layer().ops[i].name == one.layer().ops[i].name);
        CHECK(many.layer().ops[i].count == one.layer().ops[i].count);
        CHECK(sample::gemm_flops(many.layer().ops[i]) == sample::gemm_flops(one.layer().ops[i]));
      }
      CHECK(many.layer().saved_bytes() == one.layer().saved_bytes());
      const operator_models::Collective c =
          sample::collective(only(many.classes.front().step_ops, "data.all-reduce", StepPhase::backward));
      CHECK(c.kind == CollectiveKind::all_reduce);
      CHECK(c.group.ranks == ranks);
      CHECK(c.bytes.value == std::stod(bytes) * planner::parameters(all().model));
    }
}

TEST_CASE("inference runs the forward pass of training and nothing else") {
  const planner::Workload train = workload(all()), infer = workload(all({"job.phase=forward"}));
  CHECK(flops(infer.layer(), StepPhase::forward) == flops(train.layer(), StepPhase::forward));
  CHECK(flops(infer.layer(), StepPhase::backward) == 0);
  for (const planner::StageClass& c : infer.classes)
    for (const WorkOp& op : c.step_ops) {
      CHECK(op.phase != StepPhase::optimizer);
      CHECK(op.phase != StepPhase::backward);
    }
  CHECK(sample::plan(all({"job.phase=forward"})).step->seconds < sample::plan(all()).step->seconds);
}

TEST_CASE("a convolution's window and step are the products of its sides") {
  struct Case {
    std::array<int64_t, 2> kernel, stride;
    double window, step;
  };
  for (const Case& c : {Case{{3, 0}, {2, 0}, 9, 4}, Case{{3, 5}, {1, 0}, 15, 1}, Case{{41, 11}, {2, 2}, 451, 4},
                        Case{{1, 7}, {1, 3}, 7, 3}, Case{{7, 1}, {3, 1}, 7, 3}}) {
    const FixedOperator o = convolution(c.kernel, c.stride);
    CHECK(static_cast<double>(planner::window_of(o)) == c.window);
    CHECK(static_cast<double>(planner::step_of(o)) == c.step);
    CHECK(planner::fixed_parameters({o}) == 4 * 36 * c.window);
    CHECK(planner::fixed_flops({o}) == 2 * 30 * 4 * 36 * c.window);
  }
}

TEST_CASE("turning a convolution's window on its side changes no operator") {
  const std::string common = "{name: c, kind: convolution, rows: 30 * job.sequence, in: 4, out: 36, ";
  const Block tall = workload(list(common + "kernel: 7, kernel_width: 3, stride: 3, stride_width: 1}")).layer();
  const Block broad = workload(list(common + "kernel: 3, kernel_width: 7, stride: 1, stride_width: 3}")).layer();
  REQUIRE(tall.ops.size() == broad.ops.size());
  for (size_t i = 0; i < tall.ops.size(); ++i)
    CHECK(sample::gemm_flops(tall.ops[i]) == sample::gemm_flops(broad.ops[i]));
  CHECK(tall.saved_bytes() == broad.saved_bytes());
  CHECK(tall.parameters() == broad.parameters());
  CHECK(near(flops(tall, StepPhase::backward), 2 * flops(tall, StepPhase::forward)));
}

TEST_CASE("comm tells the all-reduce of a recurrent model, and the slack of each of its matrices") {
  const double bytes = 4 * planner::parameters(all().model);
  double last = 0;
  for (const int64_t steps : {6, 12, 24}) {
    const Json comm = json_of("comm", ranks_of(8) + sequence_of(steps));
    REQUIRE(comm["communication"].size() == 1);
    CHECK(comm["communication"][0]["bytes"].get<double>() == bytes);
    CHECK(comm["communication"][0]["ranks"].get<int64_t>() == 8);
    CHECK(comm["serialized_fraction"].get<double>() == 0);
    double hidden = 0;
    for (const Json& layer : comm["layers"])
      if (layer["name"] == "lstm.hidden") hidden = layer["slack_flops_per_byte"].get<double>();
    CHECK(near(hidden, 4.0 * static_cast<double>(steps)));  // 4 B S H^2 G FLOPs over 4 H^2 G bytes
    CHECK(comm["compute_flops"].get<double>() > last);
    last = comm["compute_flops"].get<double>();
  }
}

TEST_CASE("a roadmap of a recurrent model has a cell for each step, faster where the hardware is") {
  const Json json = json_of("roadmap", Sets{"roadmap=flop-vs-bw"});
  double last = 1;
  for (const Json& cell : json["cells"]) {
    CHECK(cell["feasible"].get<bool>());
    CHECK(cell["step_seconds"].get<double>() < last);
    last = cell["step_seconds"].get<double>();
  }
  CHECK(json["cells"].size() == 3);
  const Json steps = json_of("roadmap", Sets{"roadmap=[{name: long, set: {job.sequence: 60}}, "
                                             "{name: amd, set: {cluster.gpu.use: mi210}}]"});
  REQUIRE(steps["cells"].size() == 2);
  CHECK(steps["cells"][0]["step_seconds"].get<double>() > steps["cells"][1]["step_seconds"].get<double>());
}

TEST_CASE("a sweep over the sequence plans each length as if it were alone") {
  const Ran r = command("sweep", {"job.sequence=[3, 6, 12]"}, {"--format", "ndjson"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  std::vector<double> seconds;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    if (row.contains("step_seconds")) seconds.push_back(row["step_seconds"].get<double>());
  }
  REQUIRE(seconds.size() == 3);
  CHECK(near(seconds[0], sample::plan(all(sequence_of(3))).step->seconds));
  CHECK(near(seconds[1], sample::plan(all()).step->seconds));
  CHECK(near(seconds[2], sample::plan(all(sequence_of(12))).step->seconds));
}

TEST_CASE("values that no layer can have are refused where they stand") {
  struct Bad {
    const char *set, *message;
  };
  for (const Bad& b : {
           Bad{"model.operators[1].rows=0", "model.operators[1].rows must be at least 1, got 0"},
           Bad{"job.sequence=-3", "job.sequence must be at least 1, got -3"},
           Bad{"job.sequence=[5, 0]", "job.sequence must be at least 1, got 0"},
           Bad{"model.operators=[{name: a, kind: lstm, rows: 0, in: 4, out: 4}]",
               "model.operators[0].rows must be at least 1, got 0"},
           Bad{"model.operators=[{name: a, kind: gru, rows: 2.5, in: 4, out: 4}]",
               "expected a whole number for model.operators[0].rows, got 2.5"},
           Bad{"model.operators=[{name: a, kind: gru, in: 4}]", "missing required field model.operators[0].out"},
           Bad{"model.operators=[{name: a, kind: gru, in: -1, out: 4}]",
               "model.operators[0].in must be at least 0, got -1"},
           Bad{"model.operators=[{name: a, kind: lstm, in: 4, out: 4, count: 0}]",
               "model.operators[0].count must be at least 1, got 0"},
           Bad{"model.operators=[{name: a, kind: lstm, in: 4, out: 4, bidirectional: 2}]",
               "expected true or false for model.operators[0].bidirectional, got 2"},
           Bad{"model.operators=[{name: a, kind: convolution, in: 4, out: 4, kernel_width: -1}]",
               "model.operators[0].kernel_width must be at least 0, got -1"},
           Bad{"model.operators=[{name: a, kind: convolution, in: 4, out: 4, stride_width: 1001}]",
               "model.operators[0].stride_width must be at most 1000, got 1001"},
           Bad{"cluster.gpu.platform=sycl",
               "expected one of cuda, rocm, synapse, xla for cluster.gpu.platform, got 'sycl'"},
       }) {
    CAPTURE(b.set);
    const Ran r = command("plan", {b.set});
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK_MESSAGE(r.err.find(std::string("error: ") + b.message + "\n") != std::string::npos, r.err);
  }
}

TEST_CASE("a layer without inputs is a mistake, one on ranks that divide it a plan that is not feasible") {
  const Ran lone = command("plan", {"model.operators=[{name: a, kind: gru, rows: job.sequence, out: 4}]"});
  CHECK(lone.status == 1);
  CHECK(lone.err.find("error: missing required field model.operators[0].in\n") != std::string::npos);
  const Ran divided = command("plan", Sets{"parallelism.tp=2", "cluster.gpus=2"});
  CHECK(divided.status == 3);
  CHECK(divided.out.find("a fixed operator list is data parallel only: tp 2 would") != std::string::npos);
}

TEST_CASE("every accelerator of the catalogue runs on its vendor's platform") {
  struct Vendor {
    const char *prefix, *platform;
  };
  constexpr std::array kVendors{Vendor{"mi", "rocm"}, Vendor{"vega", "rocm"},    Vendor{"gaudi", "synapse"},
                                Vendor{"tpu", "xla"}, Vendor{"trainium", "xla"}, Vendor{"", "cuda"}};
  std::array<int, kVendors.size()> seen{};
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (file.kind != "accelerator") continue;
    CAPTURE(file.name);
    size_t row = 0;
    while (!file.name.starts_with(kVendors[row].prefix)) ++row;
    ++seen[row];
    CHECK(platform_of(std::string(file.name)) == kVendors[row].platform);
  }
  for (const int accelerators : seen) CHECK(accelerators > 0);  // no row of the table has gone stale
}
