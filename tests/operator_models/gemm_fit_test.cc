// Fits of the GEMM models, on samples whose numbers are known.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/holdout.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

Machine a100() {
  const test::CalibratedGpu read = test::read_gpu("a100-sxm-80gb");
  return {read.gpu, {}, 8, read.calibration};
}

/// What the waves of `truth` take on a grid of sizes, times `skew(m, n, k)`.
SampleSet measured(const Machine& machine, const Calibration& truth, double (*skew)(const Gemm&)) {
  SampleSet set{{"m", "n", "k"}, {}, 0};
  for (int64_t m : {64, 128, 256, 384, 512, 1024, 1536, 2048, 4096})
    for (int64_t n : {128, 256, 512, 1024, 2048, 4096, 8192})
      for (int64_t k : {128, 256, 512, 1024, 2048, 4096, 8192}) {
        const Gemm op{.m = m, .n = n, .k = k};
        const double seconds = cost(op, device_of(machine, truth), {{"gemm", "wave"}}).seconds.value;
        set.samples.push_back(
            {op, seconds * skew(op), {std::to_string(m), std::to_string(n), std::to_string(k)}, true, {}});
      }
  return set;
}

double as_is(const Gemm&) { return 1; }
double slower_when_deep(const Gemm& op) { return std::pow(static_cast<double>(op.k) / 128, 0.3); }

Calibration waves_alone(Calibration c) {
  c.gemm["bf16"].table.clear();
  return c;
}

}  // namespace

TEST_CASE("the waves' own numbers are found again") {
  const Machine machine = a100();
  Calibration truth = waves_alone(machine.calibration);
  truth.gemm["bf16"].compute_efficiency = 0.7;
  truth.gemm["bf16"].memory_efficiency = 0.6;
  truth.launch = {5e-6};
  const Fitted fitted = fit_gemm_wave(measured(machine, truth, as_is), machine);
  const GemmCalibration& row = fitted.calibration.gemm.at("bf16");
  CHECK(row.compute_efficiency == doctest::Approx(0.7).epsilon(0.05));
  CHECK(row.memory_efficiency == doctest::Approx(0.6).epsilon(0.1));
  CHECK(fitted.calibration.launch.value == doctest::Approx(5e-6).epsilon(0.1));
  CHECK(row.relative_error < 0.02);
}

TEST_CASE("a table learns what the waves cannot say") {
  const Machine machine = a100();
  const SampleSet set = measured(machine, waves_alone(machine.calibration), slower_when_deep);
  const Fitted wave = fit_gemm_wave(set, machine), table = fit_gemm_table(set, machine);
  const auto error = [&](const Fitted& f, const char* model) {
    return *errors_of(log_ratios(set, device_of(machine, f.calibration), {{"gemm", model}})).geomean;
  };
  CHECK(error(table, "table") < 0.5 * error(wave, "wave"));
}

TEST_CASE("rows far off are told with their places, and kept") {
  const Machine machine = a100();
  SampleSet set = measured(machine, waves_alone(machine.calibration), as_is);
  static const dsl::Source source{"gemm.csv", "", ""};
  set.samples[100].seconds *= 10;
  set.samples[100].place = {&source, 102, 7, 4};
  const Fitted fitted = fit_gemm_wave(set, machine);
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0].starts_with("1 of the fitted rows"));
  CHECK(fitted.warnings[0].find("gemm.csv:102:7") != std::string::npos);
}

TEST_CASE("a cast timed together with narrow GEMMs is found beside them") {
  const test::CalibratedGpu read = test::read_gpu("h100-sxm-80gb");
  const Machine machine{read.gpu, {}, 8, read.calibration};
  Calibration truth = machine.calibration;
  truth.gemm["fp8"].cast_row = {6e-9};
  truth.gemm["fp8"].cast = {3e-12};
  SampleSet set{{"m", "n", "k"}, {}, 0};
  for (int64_t m : {64, 256, 1024, 2048, 8192, 16384})
    for (int64_t n : {128, 512, 1024, 4096, 8192})
      for (int64_t k : {128, 512, 1024, 4096, 8192, 16384}) {
        const Gemm op{.m = m, .n = n, .k = k, .precision = Precision::fp8, .a_bytes = 1, .b_bytes = 1};
        const double seconds = cost(op, device_of(machine, truth), {{"gemm", "wave"}}).seconds.value;
        set.samples.push_back({op, seconds, {std::to_string(m), std::to_string(n), std::to_string(k)}, true, {}});
      }
  Machine blank = machine;
  blank.calibration.gemm["fp8"].cast_base = blank.calibration.gemm["fp8"].cast_row =
      blank.calibration.gemm["fp8"].cast = {};
  const Fitted fitted = fit_gemm_wave(set, blank);
  const GemmCalibration& row = fitted.calibration.gemm.at("fp8");
  CHECK(row.cast_row.value == doctest::Approx(6e-9).epsilon(0.1));
  CHECK(row.cast.value == doctest::Approx(3e-12).epsilon(0.1));
  REQUIRE(!fitted.warnings.empty());
  CHECK(fitted.warnings[0].find("plans do not pay") != std::string::npos);
}
