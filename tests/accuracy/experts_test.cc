// Experts of a rank in one kernel, held against tables of aiconfigurator (commit 095f58a5, Apache-2.0, TensorRT-LLM
// 1.3.0rc20): even loads, tp 1 and 4, four expert groups, four numbers of tokens. Each layer is left out in turn.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/holdout.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/score.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

struct Table {
  const char *file, *gpu;
  Precision precision;
  double left_out, median;  // ratchets: the measured values, rounded up
};
constexpr Table kTables[] = {
    {"experts_bf16_b200", "b200-180gb", Precision::bf16, 0.088, 0.051},
    {"experts_bf16_gb300", "gb300-288gb", Precision::bf16, 0.071, 0.052},
    {"experts_mxfp8_b200", "b200-180gb", Precision::mxfp8, 0.045, 0.045},
};

std::string text_of(const char* file) {
  std::ifstream in(std::string("tests/accuracy/") + file + ".csv");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("layers of experts that no fit has seen stay within their limits") {
  for (const Table& t : kTables) {
    const test::MeasuredText read(text_of(t.file), {.precision = t.precision}, test::machine_of(t.gpu, 8),
                                  read_experts);
    REQUIRE(read.set.samples.size() > 200);
    const FitRow& fit = find_calibration_kind("experts")->fits[0];
    const Errors errors = cross_validate(fit, read.set, test::machine_of(t.gpu, 8)).all;
    MESSAGE(t.file << ": left out by layer " << 100 * *errors.geomean << " %, median " << 100 * *errors.median << " %");
    CHECK(*errors.geomean <= t.left_out);
    CHECK(*errors.median <= t.median);
  }
}

TEST_CASE("a step holds no more of the experts' rate than power leaves of a dense GEMM") {
  const operator_models::Machine machine = test::machine_of("b200-180gb", 8);
  Device bursts = device_of(machine, machine.calibration), step = bursts;
  step.bursts = false;
  const Gemm op{.batch = 8, .m = 8192, .n = 4096, .k = 7168, .grouped = true};
  const GemmCalibration& dense = machine.calibration.gemm.at("bf16");
  const double ratio = cost(op, step).seconds / cost(op, bursts).seconds;
  const double rate = dense.compute_efficiency * dense.sustained;
  CHECK(ratio == doctest::Approx(machine.calibration.grouped.at("bf16").efficiency / rate).epsilon(0.01));
}
