// Convolutions as implicit GEMMs: work and traffic are the same however window and step are cut.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "tests/planner/sample.h"

using operator_models::Gemm;
using planner::FixedOperator;
using planner::Scenario;
using planner::StepPhase;
using planner::WorkOp;
using sample::near;

namespace {

// The first operator wants no input gradient; the convolution is the second.
constexpr const char* kText = R"(
model:
  operators:
    - {name: first, kind: linear, in: 4, out: 4}
    - {name: conv, kind: convolution, rows: 30, in: 5, out: 29}
job: {sequence: 1, global_batch: 4, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 1}
software: {use: ddp-amp}
parallelism: {microbatch: 4}
)";
constexpr double kRows = 4 * 30, kElement = 2;

struct Sides {
  int64_t kernel, width, stride, across;
  double window() const { return static_cast<double>(kernel * width); }
  double step() const { return static_cast<double>(stride * across); }
};

/// Every kernel of up to 7 x 4 pixels (and one of 11) with every step of up to 4 x 3.
std::vector<Sides> all_sides() {
  std::vector<Sides> out;
  for (const int64_t kernel : {1, 2, 3, 4, 5, 6, 7, 11})
    for (int64_t width = 1; width <= 4; ++width)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t across = 1; across <= 3; ++across) out.push_back({kernel, width, stride, across});
  return out;
}

struct Gemms {
  Gemm forward, weights;
  std::vector<Gemm> input;
};

double flops(const Gemm& g) {
  return 2 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
}
double elements(int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

Gemms gemms_of(const Sides& z) {
  static const Scenario first = sample::scenario(kText);
  Scenario s = first;
  FixedOperator& o = s.model.operators.back();
  o.kernel = z.kernel, o.kernel_width = z.width, o.stride = z.stride, o.stride_width = z.across;
  const planner::Workload w = sample::workload(s);
  Gemms out;
  out.forward = sample::gemm(sample::only(w.layer().ops, "conv"));
  out.weights = sample::gemm(sample::only(w.layer().ops, "conv.wgrad", StepPhase::backward));
  for (const WorkOp& op : sample::named(w.layer().ops, "conv.dgrad")) {
    CHECK(op.phase == StepPhase::backward);
    CHECK(op.count == 1);
    out.input.push_back(sample::gemm(op));
  }
  return out;
}

/// Input pixels of one output by the windows that touch them, counted one by one along each side.
std::map<int64_t, int64_t> pixels_by_windows(const Sides& z) {
  auto windows = [](int64_t pixel, int64_t kernel, int64_t stride) {
    int64_t count = 0;
    for (int64_t tap = pixel; tap < kernel; tap += stride) ++count;
    return count;
  };
  std::map<int64_t, int64_t> out;
  for (int64_t y = 0; y < z.stride; ++y)
    for (int64_t x = 0; x < z.across; ++x) {
      const int64_t both = windows(y, z.kernel, z.stride) * windows(x, z.width, z.across);
      if (both > 0) ++out[both];
    }
  return out;
}

}  // namespace

TEST_CASE("each gradient of a convolution does the forward pass's FLOPs, whatever the window and its step") {
  for (const Sides& z : all_sides()) {
    INFO("window ", z.kernel, " x ", z.width, ", step ", z.stride, " x ", z.across);
    const Gemms g = gemms_of(z);
    CHECK(flops(g.forward) == 2 * kRows * 5 * 29 * z.window());
    CHECK(flops(g.weights) == flops(g.forward));
    double gradient = 0;
    for (const Gemm& part : g.input) gradient += flops(part);
    CHECK(gradient == flops(g.forward));
  }
}

TEST_CASE("an input pixel's gradient sums over the windows that touch it: one GEMM for each number of them") {
  for (const Sides& z : all_sides()) {
    INFO("window ", z.kernel, " x ", z.width, ", step ", z.stride, " x ", z.across);
    std::map<int64_t, int64_t> seen;
    for (const Gemm& part : gemms_of(z).input) {
      CHECK(part.m == 5);
      CHECK(part.k % 29 == 0);
      CHECK(part.n % 120 == 0);
      CHECK(seen.emplace(part.k / 29, part.n / 120).second);
    }
    CHECK(seen == pixels_by_windows(z));
  }
}

TEST_CASE("the input's gradient reads weights and output's gradient once and writes every input pixel") {
  for (const Sides& z : all_sides()) {
    INFO("window ", z.kernel, " x ", z.width, ", step ", z.stride, " x ", z.across);
    double weights = 0, output = 0, written = 0;
    for (const Gemm& part : gemms_of(z).input) {
      weights += elements(part.m, part.k) * part.a_bytes;
      output += elements(part.k, part.n) * part.b_bytes;
      written += elements(part.m, part.n) * part.c_bytes;
    }
    CHECK(near(weights, kElement * 5 * 29 * z.window()));
    CHECK(near(output, kElement * kRows * 29));
    CHECK(near(written, kElement * kRows * 5 * z.step()));  // zeros where no window comes
  }
}

TEST_CASE("a window reads an input pixel once, and none that its step passes over") {
  for (const Sides& z : all_sides()) {
    INFO("window ", z.kernel, " x ", z.width, ", step ", z.stride, " x ", z.across);
    const double touched = static_cast<double>(std::min(z.kernel, z.stride) * std::min(z.width, z.across));
    const Gemms g = gemms_of(z);
    CHECK(near(elements(g.forward.k, g.forward.n) * g.forward.b_bytes, kElement * kRows * 5 * touched));
    CHECK(near(elements(g.weights.m, g.weights.k) * g.weights.a_bytes, kElement * kRows * 5 * touched));
  }
}

TEST_CASE("a window of 3 x 3 with a step of 2: pixels under four, two and one windows") {
  const Gemms g = gemms_of({3, 3, 2, 2});
  REQUIRE(g.input.size() == 3);
  constexpr std::array<int64_t, 3> depths{29, 2 * 29, 4 * 29}, columns{120, 2 * 120, 120};
  for (size_t i = 0; i < depths.size(); ++i) {
    CHECK(g.input[i].k == depths[i]);
    CHECK(g.input[i].n == columns[i]);
    CHECK(g.input[i].pass == operator_models::GemmPass::dgrad);
  }
}
