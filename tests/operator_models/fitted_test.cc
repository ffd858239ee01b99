// Models fitted to measurements as cost models of operators.
#include "operator_models/fitted.h"

#include <set>

#include "operator_models/features.h"
#include "operator_models/standard_error.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

/// Seconds of an all-reduce: 1e-5 + 2e-9 * bytes, measured from 1 MB to 100 MB.
FittedModel line() {
  FittedModel m{.name = "pmnf(x.csv)", .file = "x.csv", .callpath = "main"};
  m.parameters = {{.name = "size", .feature = "bytes", .row = feature_row("all_reduce", "bytes")}};
  m.parameters[0].least = 1e6, m.parameters[0].most = 1e8;
  m.parts = {{.constant = 1e-5, .terms = {{2e-9, {{0, {1}, {}}}}}}};
  m.points = {{1e6}, {1e7}, {1e8}};
  m.relative_error = 0.03;
  return m;
}

const Collective kReduce{CollectiveKind::all_reduce, {2e7}, {8, {8, 8}}};

const Update kAdam{.algorithm = "adam", .parameters = 1e8, .read_bytes = 16, .written_bytes = 14};
const Operator kSamples[] = {Gemm{.m = 4, .n = 4, .k = 4},
                             Attention{.heads = 2, .kv_heads = 2, .queries = 8, .keys = 8, .head_dim = 4},
                             Vector{VectorKind::softmax, 1e7, {2e7}, {2e7}},
                             Lookup{.rows = 4, .width = 8},
                             kAdam,
                             kReduce,
                             SendRecv{{1e7}, 1},
                             HostCopy{{1e7}},
                             HostUpdate{kAdam},
                             NearUpdate{kAdam},
                             ConcurrentGemms{{.m = 256, .n = 256, .k = 256}, 2},
                             Scan{.heads = 2, .length = 8, .key_dim = 4, .value_dim = 4},
                             Selection{.queries = 8, .keys = 8, .head_dim = 4, .top_k = 2}};

Cost priced(const FittedModel& model, const Operator& op, const ModelChoice& choice = {}) {
  Machine m = machine(kH100);
  Device device = m.device();
  device.fitted[fitted_slot(op)] = &model;
  return cost(op, device, choice);
}

}  // namespace

TEST_CASE("an operator's features are those of its shape") {
  const auto value = [](const char* kind, const char* name, const Operator& op) {
    const size_t row = feature_row(kind, name);
    REQUIRE(row != std::string::npos);
    return operator_features()[row].value(op);
  };
  const Gemm g{.batch = 3, .m = 4, .n = 5, .k = 6};
  for (const auto& [name, expected] :
       {std::pair{"m", 4.0}, {"n", 5.0}, {"k", 6.0}, {"batch", 3.0}, {"flops", 720.0}, {"bytes", 3 * 2 * 74.0}})
    CHECK(value("gemm", name, g) == expected);
  Attention a{.batch = 2, .heads = 4, .kv_heads = 1, .queries = 10, .keys = 10, .head_dim = 8, .causal = false};
  CHECK(value("attention", "flops", a) == 4.0 * 8 * 8 * 100);
  a.backward = true;
  CHECK(value("attention", "flops", a) == 2.5 * 4 * 8 * 8 * 100);
  a.causal = true;
  CHECK(value("attention", "flops", a) == 2.5 * 4 * 8 * 8 * 50);
  CHECK(value("vector", "bytes", Vector{VectorKind::softmax, 10, {20}, {30}}) == 50);
  CHECK(value("all_reduce", "ranks", kReduce) == 8);
  CHECK(value("collective", "bytes", kReduce) == 2e7);
  CHECK(value("update", "bytes", Update{.parameters = 10, .read_bytes = 16, .written_bytes = 4}) == 200);
  CHECK(feature_row("gemm", "ranks") == std::string::npos);
  CHECK(feature_row("no-kind", "m") == std::string::npos);
}

TEST_CASE("every kind of operator has features, named once, with a doc") {
  std::set<std::string> seen;
  for (const OperatorFeature& row : operator_features()) {
    CHECK(seen.insert(std::string(row.kind) + " " + row.name).second);
    CHECK(std::string(row.doc).size() > 2);
    for (const Operator& op : kSamples)
      if (std::string(row.kind) == kind_of(op)) CHECK_MESSAGE(row.value(op) > 0, row.kind << " " << row.name);
  }
  for (const char* kind : kKindNames) CHECK_FALSE(feature_names(kind).empty());
  for (const char* kind : kCollectiveKinds) CHECK(feature_names(kind) == feature_names("collective"));
}

TEST_CASE("provenance and error follow from where a model is asked") {
  const FittedModel m = line();
  struct Row {
    double bytes;
    Provenance provenance;
    double error, reach;
  };
  for (const Row& row : {Row{1e7, Provenance::measured, 0.03, 1}, Row{2e7, Provenance::interpolated, 0.03, 1},
                         Row{4e8, Provenance::extrapolated, 0.2, 4}, Row{1e5, Provenance::extrapolated, 0.2, 10}}) {
    const Prediction p = predict(m, std::vector{row.bytes});
    CHECK(p.provenance == row.provenance);
    CHECK(p.relative_error == row.error);
    CHECK(p.reach == doctest::Approx(row.reach));
    CHECK(p.seconds == doctest::Approx(1e-5 + 2e-9 * row.bytes).epsilon(1e-12));
  }
  FittedModel unsaid = m;
  unsaid.points.clear();
  CHECK(predict(unsaid, std::vector{1e7}).provenance == Provenance::extrapolated);
}

TEST_CASE("a fitted operator takes the time of the formula, and executes what it did") {
  Machine machine = test::machine(kH100);
  const Cost before = cost(kReduce, machine.device()), c = priced(line(), kReduce);
  CHECK(c.seconds.value == doctest::Approx(1e-5 + 2e-9 * 2e7).epsilon(1e-12));
  CHECK(std::string(c.model) == "pmnf");
  CHECK(c.provenance == Provenance::interpolated);
  CHECK(c.relative_error == 0.03);
  CHECK(c.bytes_read == before.bytes_read);
  CHECK(c.launch.value <= c.seconds.value);
  CHECK(c.priced);
}

TEST_CASE("a fitted model prices its own kind of collective, whatever the others take") {
  Machine m = machine(kH100);
  const FittedModel model = line();
  Device device = m.device();
  device.fitted[fitted_slot(kReduce)] = &model;
  Collective gather = kReduce;
  gather.kind = CollectiveKind::all_gather;
  CHECK(std::string(cost(gather, device).model) != "pmnf");
  CHECK(cost(gather, device).seconds == cost(gather, m.device()).seconds);
  CHECK(std::string(cost(kReduce, device, {{"collective", "alpha-beta"}}).model) == "pmnf");
}

TEST_CASE("a single collective's row goes before that of all") {
  Machine m = machine(kH100);
  const auto model_of = [&](const ModelChoice& choice) { return std::string(cost(kReduce, m.device(), choice).model); };
  CHECK(model_of({{"all_reduce", "alpha-beta"}, {"collective", "table"}}) == "alpha-beta");
  CHECK(model_of({{"all_gather", "alpha-beta"}, {"collective", "table"}}) == model_of({{"collective", "table"}}));
  CHECK(model_of({{"all_reduce", ""}, {"collective", "alpha-beta"}}) == "alpha-beta");
}

TEST_CASE("where the formula is not above zero, the operator is not priced, and keeps the default model's time") {
  FittedModel m = line();
  m.parts[0].constant = -1;
  Machine machine = test::machine(kH100);
  const Cost c = priced(m, kReduce);
  CHECK_FALSE(c.priced);
  CHECK(c.seconds == cost(kReduce, machine.device()).seconds);
  m.parts[0] = {.constant = 0, .terms = {{1, {{0, {}, {-1}}}}}};  // 1 / log2(1)
  CHECK_FALSE(predict(m, std::vector{1.0}).priced);
}

TEST_CASE("an operator with nothing to do costs nothing, whatever the constant") {
  Collective alone = kReduce;
  alone.group = {1, {1, 1}};
  CHECK(priced(line(), alone).seconds.value == 0);
}

TEST_CASE("a segmented model changes at its point") {
  FittedModel m = line();
  m.parts.push_back({.constant = 1, .terms = {}});
  m.change_point = 1e7;
  CHECK(predict(m, std::vector{1e7}).seconds < 0.1);
  CHECK(predict(m, std::vector{1.1e7}).seconds == 1);
  CHECK(m.formula() == "1");
  CHECK(line().formula() == "1e-05 + 2e-09 * size");
}
