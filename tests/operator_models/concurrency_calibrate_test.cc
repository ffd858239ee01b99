// Measured concurrent GEMMs: the meaning of their columns, their mistakes, the recovered parameters, and the predictor.
#include <algorithm>
#include <fstream>
#include <map>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/predictor_fit.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/concurrent_gemms.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu() { return test::machine_of("mi100-32gb", 4); }

/// One whose library has a single kernel, so that nothing but the numbers is to be found.
operator_models::Machine gpu_of_one_kernel() {
  operator_models::Machine machine = gpu();
  machine.calibration.concurrency.tiles = {128};
  machine.calibration.concurrency.depths = {16};
  return machine;
}

struct Read : test::MeasuredText {
  explicit Read(std::string text)
      : MeasuredText(std::move(text), {.precision = Precision::fp32, .kernel = {}}, gpu(), read_concurrency) {}
  const ConcurrentGemms& op(size_t i) const { return MeasuredText::op<ConcurrentGemms>(i); }
};

const std::string kHead = "m,n,k,layout,at_once,time_us\n";

/// A small GEMM for each number, timed by the model with other figures than the catalogue's.
SampleSet made(const ConcurrencyCalibration& row) {
  SampleSet set;
  operator_models::Machine machine = gpu();
  machine.calibration.concurrency = row;
  for (const int64_t width : {256, 512, 768, 1024, 1536, 2048})
    for (const int64_t at_once : kDegrees) {
      const ConcurrentGemms op{
          {.m = 512, .n = width, .k = 4096, .precision = Precision::fp32, .a_bytes = 4, .b_bytes = 4, .c_bytes = 4},
          at_once};
      set.samples.push_back(
          {op, cost(op, device_of(machine, machine.calibration), {{"concurrent-gemm", "default"}}).seconds.value, {}});
    }
  return set;
}

/// GEMMs on an H100: measured by operator_models/kit, PyTorch 2.11, CUDA 13.0, inside CUDA graphs, cold L2.
std::string measured_h100() {
  std::ifstream file(std::string(TRAINPLAN_SOURCE_DIR) + "/tests/accuracy/concurrency_h100.csv");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Samples of every other shape: the first, or those left out.
SampleSet half_of(const SampleSet& all, bool left_out) {
  SampleSet half{.dimensions = all.dimensions};
  std::map<GemmShape, size_t> numbers;
  for (const Sample& s : all.samples) {
    const auto [at, is_new] = numbers.try_emplace(shape_of(std::get<ConcurrentGemms>(s.op).gemm), numbers.size());
    if ((at->second % 2 == 1) == left_out) half.samples.push_back(s);
  }
  return half;
}

}  // namespace

TEST_CASE("a row is a shape, its layout and how many of it") {
  const Read r(kHead + "64,128,256,NT,1,10\n64,128,256,NT,4,30\n");
  CHECK(!r.diagnostics.has_errors());
  REQUIRE(r.set.samples.size() == 2);
  CHECK(r.op(1).at_once == 4);
  CHECK(r.op(1).gemm.pass == GemmPass::wgrad);
  CHECK(r.op(1).gemm.m == 64);
  CHECK(r.op(1).gemm.k == 256);
  CHECK(r.op(1).gemm.a_bytes == 4);
  CHECK(r.set.samples[1].seconds == doctest::Approx(30e-6));
  CHECK(!r.set.modelled);
}

TEST_CASE("both gradients of a layer are held against each alone") {
  const Read r(kHead + "64,128,256,NN,1,5\n256,128,64,NT,1,7\n64,128,256,NN+NT,4,20\n");
  CHECK(!r.diagnostics.has_errors());
  REQUIRE(r.set.samples.size() == 3);
  CHECK(r.op(0).alone_seconds == 0);
  CHECK(r.op(2).alone_seconds == doctest::Approx(6e-6));
  const std::vector<Gemm> gemms = gemms_of(r.op(2));
  REQUIRE(gemms.size() == 4);
  CHECK(gemms[1].pass == GemmPass::dgrad);
  CHECK(gemms[2].pass == GemmPass::wgrad);
  CHECK(gemms[2].m == 256);
  CHECK(gemms[2].k == 64);
}

TEST_CASE("shapes alone stand for every number, with the model's times") {
  const Read r("m,n,k\n512,512,512\n");
  REQUIRE(r.set.samples.size() == kDegrees.size());
  CHECK(r.set.modelled);
  for (size_t i = 0; i < kDegrees.size(); ++i) CHECK(r.op(i).at_once == kDegrees[i]);
}

TEST_CASE("several without one alone, and cells that say nothing, are mistakes at their places") {
  const Read pair(kHead + "64,128,256,NN,1,5\n64,128,256,NN+NT,2,9\n64,128,256,NN+NT,3,9\n");
  REQUIRE(pair.diagnostics.list.size() == 2);
  CHECK(pair.diagnostics.list[0].message == "3 GEMMs of pairs: expected an even number");
  CHECK(pair.diagnostics.list[1].message == "2 at once, but no row of 256 x 128 x 64 alone");
  const Read lacks(kHead + "64,64,64,TN,1,5\n64,64,128,TN,2,9\n64,64,128,TN,4,12\n");
  REQUIRE(lacks.diagnostics.list.size() == 1);
  CHECK(lacks.diagnostics.list[0].span.line == 3);
  CHECK(lacks.diagnostics.list[0].message == "2 at once, but no row of 64 x 64 x 128 alone");
  for (const char* row :
       {"0,1,1,TN,1,1\n", "1,1,1,XX,1,1\n", "1,1,1,TN,0,1\n", "1,1,1,TN,4096,1\n", "1,1,1,TN,1,0\n"}) {
    CAPTURE(std::string(row));
    CHECK(Read(kHead + row).diagnostics.list.at(0).span.line == 2);
  }
  CHECK(Read("m,n,k,at_once\n1,1,1,2\n").diagnostics.has_errors());
  CHECK(Read("rows,n,k\n1,1,1\n").diagnostics.has_errors());
}

TEST_CASE("a fit finds again what made the times") {
  ConcurrencyCalibration truth = gpu_of_one_kernel().calibration.concurrency;
  truth.hide = {0.6, 0.9, 1};
  truth.thrash = 0.3;
  truth.ramp = dsl::Seconds{4e-6};
  const Fitted fitted = fit_concurrency(made(truth), gpu_of_one_kernel());
  const ConcurrencyCalibration& row = fitted.calibration.concurrency;
  CHECK(row.thrash == doctest::Approx(0.3).epsilon(0.05));
  CHECK(row.hide[0] == doctest::Approx(0.6).epsilon(0.05));
  CHECK(row.ramp.value == doctest::Approx(4e-6).epsilon(0.05));
  CHECK(row.relative_error < 0.02);
  CHECK(row.provenance == Provenance::interpolated);
  CHECK(row.predictor.weights == gpu().calibration.concurrency.predictor.weights);  // six shapes train none ...
  REQUIRE(fitted.warnings.size() >= 1);
  CHECK(fitted.warnings[0].find("none was trained") != std::string::npos);  // ... and a warning says so
}

TEST_CASE("a burst ends where the clock falls, and back") {
  ConcurrencyCalibration row;
  CHECK(at_first_clock(row, 1) == 1);
  row.burst = dsl::Seconds{1e-3};
  row.sustained = 0.8;
  CHECK(at_first_clock(row, 0.5e-3) == 0.5e-3);
  CHECK(at_first_clock(row, 3e-3) == doctest::Approx(2.6e-3));
  const double several = seconds_together(row, {}, 2, 1.3e-3, 0.1e-3);  // 0.1 ms of launch, 2 x 1.14 ms of kernels
  CHECK(several == doctest::Approx(1e-3 + 1.38e-3 / 0.8));
}

TEST_CASE("on an H100, shapes that were left out take what the fit says, and run as many as is nearly best") {
  operator_models::Machine h100 = test::machine_of("h100-sxm-80gb", 8);
  test::MeasuredText read(measured_h100(), {.precision = Precision::bf16, .kernel = {}}, h100, read_concurrency);
  REQUIRE(read.set.samples.size() == 3060);
  const Fitted fitted = fit_concurrency(half_of(read.set, false), h100);
  SampleSet several = half_of(read.set, true);
  REQUIRE(several.samples.size() > 1000);
  const auto one = [](const Sample& s) { return std::get<ConcurrentGemms>(s.op).at_once == 1; };
  const Device device = device_of(h100, fitted.calibration);
  const auto error = [&] { return *errors_of(log_ratios(several, device, {{"concurrent-gemm", "default"}})).geomean; };
  CHECK(error() < 0.1);  // those alone by the calibration's GEMMs, which were measured elsewhere
  std::erase_if(several.samples, one);
  CHECK(error() < 0.08);
  CHECK(fitted.calibration.concurrency.predictor.near_best > 0.9);
  CHECK(h100.calibration.concurrency.predictor.near_best > 0.9);
}

TEST_CASE("a predictor learns what a plane divides, and says the same each time") {
  std::vector<LabelledGemm> gemms;
  for (int i = 0; i < 300; ++i) {
    LabelledGemm gemm{.features = std::vector<double>(kPredictorFeatures, 0), .rates = {1, 1, 1, 1, 1}};
    gemm.features[0] = i % 50, gemm.features[2] = i;
    gemm.rates[i < 100 ? 4 : i < 200 ? 2 : 0] = 2;
    gemms.push_back(gemm);
  }
  const DegreePredictor p = train_predictor(gemms);
  CHECK(p.weights.size() == kDegrees.size() * (kPredictorFeatures + 1));
  CHECK(p.accuracy > 0.9);
  CHECK(p.near_best == p.accuracy);  // here nothing is nearly best
  CHECK(accuracy_of(p, gemms, 16) > 0.95);
  CHECK(accuracy_of(p, gemms, 1) == 1);  // of one at hand there is nothing to choose
  CHECK(train_predictor(gemms).weights == p.weights);
  for (LabelledGemm& gemm : gemms) gemm.rates = {1.96, 2, 2.02, 1.97, 1.99};
  CHECK(near_best_of(p, gemms) == 1);
  CHECK(accuracy_of(p, gemms, 16) < 0.5);
}

TEST_CASE("the catalogue's predictor tells GEMMs apart, and is right more often than any one number") {
  std::ifstream file(std::string(TRAINPLAN_SOURCE_DIR) + "/tests/accuracy/concurrent_shapes.csv");
  std::string text, line;
  for (int i = 0; std::getline(file, line); ++i)
    if (i % 17 == 0) text += line + "\n";  // the head, and 40 shapes
  const Read r(text);
  const operator_models::Machine machine = gpu();
  const Device device = device_of(machine, machine.calibration);
  const DegreePredictor& predictor = machine.calibration.concurrency.predictor;
  std::map<int64_t, int64_t> said, best;
  int64_t right = 0;
  REQUIRE(r.set.samples.size() == 40 * kDegrees.size());
  for (size_t at = 0; at < r.set.samples.size(); at += kDegrees.size()) {
    const auto each = [&](size_t i) { return r.set.samples[at + i].seconds / static_cast<double>(kDegrees[i]); };
    size_t most = 0;
    for (size_t i = 1; i < kDegrees.size(); ++i)
      if (each(i) < each(most)) most = i;
    const int64_t degree = predicted_degree(predictor, features_of(r.op(at).gemm, device));
    ++said[degree], ++best[kDegrees[most]];
    right += degree == kDegrees[most];
  }
  CHECK(said.size() >= 4);
  for (const auto& [degree, count] : best) CHECK(right > count);
}
