// Tables of embedding lookups: the meaning of their columns, their mistakes, and the parameters that a fit recovers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu() { return test::machine_of("a100-sxm-80gb", 8); }

struct Read : test::MeasuredText {
  explicit Read(std::string text) : MeasuredText(std::move(text), {}, gpu(), read_lookups) {}
  const Lookup& op(size_t i) const { return MeasuredText::op<Lookup>(i); }
};

const std::string kHead = "table_rows,dim,samples,pooling,precision,backward,time_us\n";

/// Samples of the model at another efficiency than the catalogue's.
SampleSet made(double efficiency, double backward, size_t rows_backward) {
  SampleSet set;
  operator_models::Machine machine = gpu();
  machine.calibration.vector["lookup-reuse"] = {.efficiency = efficiency, .backward = backward};
  for (size_t i = 0; i < 8 + rows_backward; ++i) {
    const Lookup op{.rows = static_cast<int64_t>(100'000 * (i + 1)),
                    .width = 64,
                    .bytes_per_element = 4,
                    .backward = i >= 8,
                    .distinct = 50'000,
                    .bags = 4096};
    set.samples.push_back(
        {op, cost(op, device_of(machine, machine.calibration), {{"lookup", "reuse"}}).seconds.value, {}});
  }
  return set;
}

}  // namespace

TEST_CASE("a row of lookups is a table, samples and how many rows each sums") {
  const Read r(kHead + "1000000,128,4096,20,fp16,0,100\n1000,64,512,5,fp32,1,9\n");
  REQUIRE(r.set.samples.size() == 2);
  CHECK(r.op(0).rows == 4096 * 20);
  CHECK(r.op(0).width == 128);
  CHECK(r.op(0).bags == 4096);
  CHECK(r.op(0).bytes_per_element == 2);
  CHECK(r.op(0).distinct == doctest::Approx(1e6 * (1 - std::exp(-0.08192))).epsilon(1e-4));
  CHECK(r.op(1).backward);
  CHECK(r.op(1).bytes_per_element == 4);
  CHECK(r.set.samples[1].seconds == doctest::Approx(9e-6));
  CHECK(r.set.samples[0].values == std::vector<std::string>{"1000000", "128", "4096", "20"});
}

TEST_CASE("distinct rows are those that the table says, and no more than there can be") {
  const std::string head = "table_rows,dim,samples,pooling,backward,distinct,time_us\n";
  CHECK(Read(head + "1000,8,10,3,0,17,5\n").op(0).distinct == 17);
  CHECK(Read(head + "1000,8,10,3,0,17,5\n").op(0).bytes_per_element == 4);
  for (const char* row : {"1000,8,10,3,0,31,5\n", "20,8,10,3,0,21,5\n", "1000,8,10,3,0,0,5\n"}) {
    const Read r(head + row);
    CHECK(r.diagnostics.has_errors());
    CHECK(r.diagnostics.list[0].span.line == 2);
    CHECK(r.set.samples.empty());
  }
}

TEST_CASE("other columns, and cells that are no counts, are mistakes") {
  CHECK(Read("rows,dim,time_us\n1,1,1\n").diagnostics.has_errors());
  for (const char* row : {"0,1,1,1,fp32,0,1\n", "1,1,1,1.5,fp32,0,1\n", "1,1,1,1,int4,0,1\n", "1,1,1,1,fp32,2,1\n",
                          "1,1,1,1,fp32,0,0\n", "1,1,100000000,100000000,fp32,0,1\n"}) {
    const Read r(kHead + row);
    CHECK_MESSAGE(r.diagnostics.has_errors(), row);
    CHECK(r.set.samples.empty());
  }
}

TEST_CASE("a fit finds the share of the bandwidth and the factor backward again") {
  const Fitted fitted = fit_lookup(made(0.62, 0.8, 8), gpu());
  const VectorCalibration& row = fitted.calibration.vector.at("lookup-reuse");
  CHECK_FALSE(fitted.empty);
  CHECK(row.efficiency == doctest::Approx(0.62).epsilon(1e-3));
  CHECK(row.backward == doctest::Approx(0.8).epsilon(1e-3));
  CHECK(row.relative_error < 0.01);
  CHECK(row.provenance == Provenance::interpolated);
  CHECK(fitted.warnings.empty());
}

TEST_CASE("fewer than six rows of a direction leave its figure, with a warning") {
  const Fitted fitted = fit_lookup(made(0.62, 0.8, 3), gpu());
  CHECK(fitted.calibration.vector.at("lookup-reuse").backward == 1);
  CHECK(fitted.calibration.vector.at("lookup-reuse").efficiency == doctest::Approx(0.62).epsilon(1e-3));
  REQUIRE_FALSE(fitted.warnings.empty());
  CHECK(fitted.warnings[0].find("backward") != std::string::npos);
  CHECK(fit_lookup(SampleSet{}, gpu()).empty);
}
