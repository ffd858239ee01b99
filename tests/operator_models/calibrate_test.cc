// What every kind of calibration shares: columns, errors, hold-out by group, fragments.
#include "dsl/write.h"
#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/fragment.h"
#include "operator_models/calibrate/holdout.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

struct Table {
  explicit Table(std::string text) : source{"t.csv", std::move(text), ""}, table(dsl::read_csv(source, diagnostics)) {}
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  dsl::CsvTable table;
};

std::string first_error(const Table& t) { return t.diagnostics.list.empty() ? "" : t.diagnostics.list[0].message; }

}  // namespace

TEST_CASE("a time is read in the unit of its header") {
  for (const char* text :
       {"time_us\n12.5\n", "time_ms\n0.0125\n", "seconds\n1.25e-5\n", "time_us\n12.5 us\n", "us\n12.5\n"}) {
    Table t(text);
    const TableColumns columns(t.table, t.diagnostics);
    const auto name = columns.time_column({"time", "seconds", "us"});
    REQUIRE(name);
    CHECK(*columns.seconds(0, *name) == doctest::Approx(12.5e-6));
  }
}

TEST_CASE("a cell that is no such figure is told at its place") {
  struct Case {
    const char *text, *message;
  };
  for (const Case& c : {Case{"time_us\nfast\n", "expected a number in 'time_us', got 'fast'"},
                        Case{"time_us\n0\n", "expected 'time_us' above zero, got 0"},
                        Case{"time_us\n-3\n", "expected 'time_us' above zero, got -3"},
                        Case{"time_us\n12 ms\n", "the cell says '12 ms', its column 'time_us'"},
                        Case{"time_us\nnan\n", "expected a number in 'time_us', got 'nan'"}}) {
    Table t(c.text);
    CHECK_FALSE(TableColumns(t.table, t.diagnostics).seconds(0, "time_us"));
    CHECK(first_error(t) == c.message);
    CHECK(t.diagnostics.list.at(0).span.line == 2);
  }
  Table t("m\n1.5\n");
  CHECK_FALSE(TableColumns(t.table, t.diagnostics).count(0, "m"));
  CHECK(first_error(t) == "expected a whole number in 'm', got 1.5");
}

TEST_CASE("errors are geometric, and signed ones cancel in the bias alone") {
  const Errors e = errors_of({std::log(1.1), -std::log(1.1)});
  CHECK(*e.geomean == doctest::Approx(0.1));
  CHECK(*e.bias == doctest::Approx(0));
  CHECK(*e.residual == doctest::Approx(std::log(1.1)));
  CHECK_FALSE(errors_of({}).geomean);
}

TEST_CASE("a hold-out fits without the value that it prices") {
  // A model that remembers the mean time of what it saw cannot know a value that was left out.
  static std::vector<std::vector<std::string>> seen;
  seen.clear();
  const FitRow fit{"gemm", "roofline", "", 1, [](const SampleSet& set, const operator_models::Machine& machine) {
                     std::vector<std::string> values;
                     for (const Sample& s : set.samples) values.push_back(s.values[0]);
                     seen.push_back(values);
                     return Fitted{machine.calibration, {}, false};
                   }};
  operator_models::Machine m;
  m.gpu = test::read_gpu("a100-sxm-80gb").gpu;
  SampleSet set{{"m"}, {}, 0};
  for (int64_t i : {1, 2, 2, 10})
    set.samples.push_back(
        {.op = Gemm{.m = 128 * i, .n = 128, .k = 128}, .seconds = 1e-3, .values = {std::to_string(i)}});
  const Holdout holdout = cross_validate(fit, set, m);
  REQUIRE(holdout.folds.size() == 3);
  CHECK(seen == std::vector<std::vector<std::string>>{{"2", "2", "10"}, {"1", "10"}, {"1", "2", "2"}});
  CHECK(holdout.folds[1].left_out == "m = 2");
  CHECK(holdout.folds[2].left_out == "m = 10");  // by size, not by letter
  CHECK(holdout.folds[1].errors.rows == 2);
  CHECK(holdout.all.rows == 4);
}

TEST_CASE("many values are left out in folds, each once") {
  const FitRow fit{"gemm", "roofline", "", 1, [](const SampleSet&, const operator_models::Machine& machine) {
                     return Fitted{machine.calibration, {}, false};
                   }};
  operator_models::Machine m;
  m.gpu = test::read_gpu("a100-sxm-80gb").gpu;
  SampleSet set{{"m"}, {}, 0};
  for (int64_t i = 1; i <= 20; ++i)
    set.samples.push_back({.op = Gemm{.m = i, .n = 128, .k = 128}, .seconds = 1e-3, .values = {std::to_string(i)}});
  const Holdout holdout = cross_validate(fit, set, m, 8);
  CHECK(holdout.folds.size() == 8);
  CHECK(holdout.all.rows == 20);
}

TEST_CASE("a fragment holds what changed, and reads back as what was fitted") {
  const test::CalibratedGpu gpu = test::read_gpu("a100-sxm-80gb");
  Calibration fitted = gpu.calibration;
  fitted.gemm["bf16"].roofline_efficiency = 0.71234567;
  fitted.vector["rope"].efficiency = 0.4;
  const dsl::Node node = fragment(fitted, gpu.calibration, "a test");
  const std::string text = dsl::write_yaml(node);
  CHECK(text.find("extends: a100-sxm") == 0);
  CHECK(text.find("bf16: {roofline_efficiency: 0.7123}  # a test\n") != std::string::npos);
  CHECK(text.find("compute_efficiency") == std::string::npos);

  const dsl::Source source{"my.yaml", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_yaml(source, diagnostics);
  CHECK(diagnostics.list.empty());
  CHECK(tree.find("gemm")->find("bf16")->find("roofline_efficiency")->text == "0.7123");
}

TEST_CASE("what a fit asks beyond the bounds of a field ends at the bound, and is told") {
  const test::CalibratedGpu gpu = test::read_gpu("a100-sxm-80gb");
  operator_models::Machine m;
  m.gpu = gpu.gpu;
  m.calibration = gpu.calibration;
  const FitRow fit{"collective", "alpha-beta", "", 1, [](const SampleSet&, const operator_models::Machine& machine) {
                     Fitted fitted{machine.calibration, {}, false};
                     fitted.calibration.collective.begin()->second.relative_error = 13.7;
                     fitted.calibration.gemm["bf16"].compute_efficiency = -std::numeric_limits<double>::quiet_NaN();
                     return fitted;
                   }};
  const Fitted fitted = fitted_to({}, m, fit);
  const std::string row = m.calibration.collective.begin()->first;
  CHECK(fitted.calibration.collective.begin()->second.relative_error == 10);
  CHECK(fitted.calibration.gemm.at("bf16").compute_efficiency >= 0);
  REQUIRE(fitted.warnings.size() == 2);
  CHECK(fitted.warnings[1] ==
        "collective." + row + ".relative_error ends at its bound: the rows ask for more than it may say");
}
