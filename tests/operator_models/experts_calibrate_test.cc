// Tables of a rank's experts: the meaning of their columns, their mistakes, and the parameters that a fit recovers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/score.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu() { return test::machine_of("b200-180gb", 8); }

struct Read : test::MeasuredText {
  explicit Read(std::string text) : MeasuredText(std::move(text), {}, gpu(), read_experts) {}
  const Gemm& op(size_t i) const { return MeasuredText::op<Gemm>(i); }
};

const std::string kHead = "hidden_size,inter_size,topk,num_experts,gated,tp,ep,imbalance,num_tokens,latency_us\n";

/// A layer of 128 experts on `ep` ranks at each of some numbers of tokens, as `row` prices it.
SampleSet made(const GroupedCalibration& row) {
  operator_models::Machine machine = gpu();
  machine.calibration.grouped["bf16"] = row;
  SampleSet set{{"layer", "tp", "ep", "tokens"}, {}, 0, 3};
  for (int64_t hidden : {1024, 2048, 6144})
    for (int64_t held : {2, 8, 32, 128})
      for (int64_t tokens : {16, 128, 512, 2048, 4096, 16384}) {
        const Gemm op{.batch = held,
                      .m = tokens / 16,
                      .n = 2 * hidden,
                      .k = hidden,
                      .grouped = true,
                      .layer = {.ffn = hidden, .tokens = tokens, .top_k = 8}};
        set.samples.push_back({op,
                               cost(op, device_of(machine, machine.calibration)).seconds.value,
                               {std::to_string(hidden), "1", std::to_string(held), std::to_string(tokens)}});
      }
  return set;
}

const GroupedCalibration kMade{.efficiency = 0.7,
                               .k_overhead = 1500,
                               .memory_efficiency = 0.75,
                               .ramp = {6e-6},
                               .layer_base = {12e-6},
                               .layer_sort = {4e-6},
                               .layer_copy = {0.2e-9},
                               .layer_efficiency = 0.45};

}  // namespace

TEST_CASE("a row is a layer, the ranks that share it and tokens of all of them") {
  const Read r(kHead + "2048,768,8,128,1,1,8,0,1024,74.6\n2688,1856,6,128,0,2,64,0,16,50\n");
  REQUIRE(r.set.samples.size() == 2);
  CHECK(r.op(0).batch == 16);
  CHECK(r.op(0).m == 64);
  CHECK(r.op(0).n == 1536);
  CHECK(r.op(0).k == 2048);
  CHECK(r.op(0).layer.ffn == 768);
  CHECK(r.op(0).grouped);
  CHECK(r.op(1).batch == 1);  // one copy: one expert works
  CHECK(r.op(1).m == 1);
  CHECK(r.op(1).n == 928);
  CHECK(r.set.samples[0].values == std::vector<std::string>{"2048x768x8x128", "1", "8", "1024"});
}

TEST_CASE("uneven loads are passed over") {
  const Read r(kHead + "2048,768,8,128,1,1,8,1.2,1024,74.6\n2048,768,8,128,1,1,8,0,1024,74.6\n");
  CHECK(r.set.samples.size() == 1);
  CHECK(r.set.passed_over == 1);
}

TEST_CASE("what does not divide, is above the peak or lacks a column is a mistake") {
  CHECK(Read("hidden_size,inter_size,topk,latency_us\n1,1,1,1\n").diagnostics.has_errors());
  for (const char* row :
       {"2048,768,8,128,1,1,3,0,1024,74.6\n", "2048,770,8,128,1,4,8,0,1024,74.6\n",
        "2048,768,200,128,1,1,8,0,1024,74.6\n", "2048,768,8,128,2,1,8,0,1024,74.6\n",
        "2048,768,8,128,1,1,8,0,1024,0.001\n", "2048,768,8,128,1,1,8,0,0,74.6\n",
        "2048,768,8,128,1,1,8,0,900000000000000000,74.6\n", "2048,4000000000000000000,8,128,1,1,8,0,1024,74.6\n"}) {
    const Read r(kHead + row);
    CHECK_MESSAGE(r.diagnostics.has_errors(), row);
    CHECK(r.set.samples.empty());
  }
}

TEST_CASE("a fit finds the row again, and a missed kernel does not move it") {
  SampleSet set = made(kMade);
  for (size_t i = 3; i < set.samples.size(); i += 24) set.samples[i].seconds *= 3;
  const operator_models::Machine machine = gpu();
  const Fitted fitted = fit_experts(set, machine);
  const GroupedCalibration& row = fitted.calibration.grouped.at("bf16");
  CHECK_FALSE(fitted.empty);
  CHECK(row.efficiency == doctest::Approx(0.7).epsilon(0.05));
  CHECK(row.k_overhead == doctest::Approx(1500).epsilon(0.05));
  CHECK(row.memory_efficiency == doctest::Approx(0.75).epsilon(0.05));
  const std::vector<double> logs = log_ratios(made(kMade), device_of(machine, fitted.calibration), {});
  CHECK(*errors_of(logs).geomean < 0.02);  // copies and bytes may share what grows with both
  CHECK(row.provenance == Provenance::interpolated);
  CHECK_FALSE(fitted.warnings.empty());
  CHECK(fit_experts(SampleSet{}, gpu()).empty);
}
