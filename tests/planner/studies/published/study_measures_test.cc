// Each row of the table of measures against a figure computed another way; filters of operators.
#include <doctest/doctest.h>

#include <set>

#include "planner/studies/published/measures.h"
#include "tests/planner/sample.h"

namespace {

using planner::AskedMeasure;
using planner::MeasureSubject;
using planner::OperatorFilter;
using planner::OperatorRow;
using sample::Sets;

constexpr const char* kText = R"(
model: {layers: 4, hidden: 256, heads: 4, vocab: 1024}
job: {sequence: 128, global_batch: 16, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2, dp: 4, microbatch: 2}
)";

planner::Scenario scenario(const Sets& sets = {}) { return sample::scenario(kText, sets); }

OperatorFilter::OperatorColumn column(const std::string& name, const std::vector<std::string>& words) {
  OperatorFilter::OperatorColumn c{.name = name, .field = nullptr, .words = {}};
  for (const planner::FilterColumn& known : planner::filter_columns())
    if (name == known.name) c.field = known.field;
  REQUIRE_MESSAGE(c.field, name);
  for (const std::string& word : words) c.words.push_back({word, {}});
  return c;
}

std::optional<double> maybe(MeasureSubject& s, const char* name,
                            std::vector<OperatorFilter::OperatorColumn> columns = {}) {
  const planner::Measure* measure = planner::find_measure(name);
  REQUIRE_MESSAGE(measure, name);
  AskedMeasure asked{.measure = measure, .filter = {std::move(columns)}, .expression = {}, .text = {}, .span = {}};
  return measure->value(s, asked);
}
double value(MeasureSubject& s, const char* name, std::vector<OperatorFilter::OperatorColumn> columns = {}) {
  const auto x = maybe(s, name, std::move(columns));
  REQUIRE_MESSAGE(x.has_value(), name);
  return *x;
}

TEST_CASE("the values of a column part what is summed over operators") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  for (const planner::FilterColumn& c : planner::filter_columns()) {
    std::set<std::string> words;
    for (const OperatorRow& row : subject.operators()) words.insert(row.*c.field);
    for (const char* name : {"share", "operators", "operator_seconds", "operator_flops", "bytes_read"}) {
      double sum = 0;
      for (const std::string& word : words) sum += value(subject, name, {column(c.name, {word})});
      CHECK_MESSAGE(sum == doctest::Approx(value(subject, name)), c.name, " ", name);
    }
  }
  CHECK(value(subject, "share") == doctest::Approx(1));
}

TEST_CASE("quotients of operators are those of their sums, and of nothing none") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  const auto gemms = [&](const char* name) { return value(subject, name, {column("kind", {"gemm"})}); };
  const double bytes = gemms("bandwidth") * gemms("operator_seconds");
  CHECK(bytes == doctest::Approx(gemms("operator_flops") / gemms("intensity")));
  CHECK(bytes > gemms("bytes_read"));
  for (const char* name : {"intensity", "bandwidth"}) CHECK(!maybe(subject, name, {column("kind", {"none"})}));
  for (const char* name : {"share", "operators", "bytes_read"})
    CHECK(value(subject, name, {column("kind", {"none"})}) == 0);
}

TEST_CASE("half of the calls stay below the median utilization") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  const double median = value(subject, "median_utilization", {column("kind", {"gemm"})});
  const double peak = s.cluster.gpu.flops.at(s.job.precision)->value;
  double below = 0, above = 0;
  for (const OperatorRow& r : subject.operators()) {
    if (r.kind != "gemm") continue;
    below += r.flops / r.seconds / peak < median ? r.count : 0;
    above += r.flops / r.seconds / peak > median ? r.count : 0;
  }
  const double half = value(subject, "operators", {column("kind", {"gemm"})}) / 2;
  CHECK(below <= half);
  CHECK(above <= half);
  CHECK(!maybe(subject, "median_utilization", {column("kind", {"none"})}));
}

TEST_CASE("FLOP of the layers' linear GEMMs are 24 s b h^2 forward and twice that backward, over tp") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  const double tokens = 128 * 16 / 4;  // of one replica
  const double forward = 4 * 24 * tokens * 256 * 256 / 2;
  const std::vector<std::string> linear{"attention.qkv*", "attention.proj*", "mlp.fc1*", "mlp.fc2*"};
  const auto flops = [&](const char* phase) {
    return value(subject, "operator_flops",
                 {column("kind", {"gemm"}), column("phase", {phase}), column("name", linear)});
  };
  CHECK(flops("forward") == doctest::Approx(forward));
  CHECK(flops("backward") == doctest::Approx(2 * forward));
}

TEST_CASE("shares of communication are those of the analysis' purposes and of the operators") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  const planner::CommAnalysis a = planner::analyse_comm(s);
  double serialized = 0, exposed = 0, compute = 0;
  for (const planner::PurposeRow& row : a.purposes) {
    serialized += row.serialized_seconds;
    exposed += row.exposed_seconds;
  }
  for (const OperatorRow& row : subject.operators())
    if (row.op_class != "communication" && row.phase != "optimizer") compute += row.count * row.seconds;
  const double step = value(subject, "step_seconds");
  REQUIRE(serialized > 0);
  CHECK(value(subject, "serialized_share_of_step") == doctest::Approx(serialized / step));
  CHECK(value(subject, "exposed_fraction") == doctest::Approx(exposed / step));
  CHECK(value(subject, "serialized_fraction") == doctest::Approx(serialized / (serialized + compute)));
  double overlapped = 0;
  for (const planner::PurposeRow& row : a.purposes) overlapped += row.hidden_seconds + row.exposed_seconds;
  CHECK(value(subject, "overlapped_share_of_step") == doctest::Approx(overlapped / step));
}

TEST_CASE("counts of the algorithm have their closed forms") {
  const planner::Scenario s = scenario();
  MeasureSubject subject(s);
  CHECK(value(subject, "edge_flops_per_byte") == doctest::Approx((9.0 * 256 + 1.5 * 128) / 2));
  CHECK(value(subject, "slack_flops_per_byte") == doctest::Approx(2.0 * 128 * 2));
  const planner::Scenario alone = scenario({"parallelism.tp=1", "parallelism.dp=8"});
  MeasureSubject whole(alone);
  CHECK(!maybe(whole, "edge_flops_per_byte"));  // nothing blocks
  CHECK(value(whole, "serialized_fraction") == 0);
}

TEST_CASE("the tensor parallelism that a size asks for grows by a layer's parameters, and falls with memory") {
  const auto required = [](const Sets& sets) {
    const planner::Scenario s = scenario(sets);
    MeasureSubject subject(s);
    return value(subject, "required_tp");
  };
  const double layer = 12.0 * 256 * 256 + 13.0 * 256, per_parameter = 8 / 3.9e9 * (16.0 / 80);
  const Sets memory{"cluster.gpu.memory=80 GiB"};
  CHECK(required(sample::operator+(memory, {"model.layers=8"})) - required(memory) ==
        doctest::Approx(4 * layer * per_parameter));
  CHECK(required({"cluster.gpu.memory=40 GiB"}) == doctest::Approx(2 * required(memory)));
}

TEST_CASE("a word with a star is what begins so, without one it is the whole value") {
  OperatorRow row;
  row.name = "mlp.fc1.wgrad";
  row.kind = "gemm";
  const auto is = [&](const std::vector<std::string>& words) {
    return planner::matches({{column("name", words)}}, row);
  };
  for (const char* word : {"*", "mlp.*", "mlp.fc1.wgrad", "mlp.fc1.wgrad*"}) CHECK_MESSAGE(is({word}), word);
  for (const char* word : {"", "mlp.fc1", "fc1*", "*wgrad", "mlp.*.wgrad", "MLP.*", "mlp.fc1.wgrad.*"})
    CHECK_FALSE_MESSAGE(is({word}), word);
  CHECK(is({"attention.*", "mlp.*"}));
  CHECK(planner::matches(OperatorFilter{}, row));
  CHECK(planner::matches({{column("name", {"mlp.*"}), column("kind", {"vector", "gemm"})}}, row));
  CHECK_FALSE(planner::matches({{column("name", {"mlp.*"}), column("kind", {"vector"})}}, row));
}

}  // namespace
