// Model `table`: surfaces over keys and work, one per head width.
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

Attention attention(int64_t batch, int64_t keys, int64_t heads, int64_t width) {
  return {.kernel = "measured",
          .batch = batch,
          .heads = heads,
          .kv_heads = heads,
          .queries = keys,
          .keys = keys,
          .head_dim = width};
}

/// An H100 whose kernel `measured` has surfaces at 64 and 128.
Machine with_table() {
  Machine m = machine(kH100);
  AttentionCut narrow{.head_dim = 64, .keys = {128, 1024, 8192}, .efficiency = {0.2, 0.35, 0.45}};
  narrow.work = {0.5, 4, 64};
  narrow.share = {0.8, 0.9, 1};
  AttentionCut full = narrow;
  full.head_dim = 128;
  full.efficiency = {0.3, 0.5, 0.6};
  AttentionCalibration row{.forward = 0.6, .backward = 0.5, .small_head = 0.8};
  row.table = {narrow, full};
  row.relative_error = 0.1;
  row.provenance = Provenance::interpolated;
  m.calibration.attention["measured"] = row;
  return m;
}

double seconds(const Machine& m, const Attention& op, const char* model = "table") {
  return cost(op, m.device(), {{"attention", model}}).seconds.value;
}

}  // namespace

TEST_CASE("a surface gives what it was measured to give at its knots") {
  const Machine m = with_table();
  Attention op = attention(528, 1024, 16, 128);  // 64 workgroups to a compute unit and more
  op.causal = false;
  const double rows = 528.0 * 16 * 1024;
  const double compute = 4 * rows * 1024 * 128 / (0.5 * m.gpu.flops.bf16->value);
  const double memory = 4 * rows * 128 * 2 / (0.8 * m.gpu.memory_bandwidth.value);
  CHECK(within(seconds(m, op), 2e-6 + m.calibration.launch.value + std::hypot(compute, memory), 1e-6));
  CHECK(cost(op, m.device(), {{"attention", "table"}}).provenance == Provenance::interpolated);
}

TEST_CASE("between head widths and knots the surface has no step") {
  const Machine m = with_table();
  double last = 0;
  for (int64_t width = 60; width <= 136; ++width) {
    const double now = seconds(m, attention(8, 4096, 16, width));
    if (last > 0) CHECK(now / last == doctest::Approx(1).epsilon(0.03));
    last = now;
  }
  last = 0;
  for (int64_t keys = 1000; keys <= 1100; ++keys) {
    Attention op = attention(8, 4096, 16, 128);
    op.keys = keys;
    const double now = seconds(m, op);
    if (last > 0) CHECK(now / last == doctest::Approx(1).epsilon(0.01));
    last = now;
  }
}

TEST_CASE("more keys, more heads and more sequences are never faster") {
  for (const Machine& m : {with_table(), machine(kA100), machine(kH100)})
    for (const auto& [kernel, row] : m.calibration.attention) {
      const auto& said = kernel;
      if (row.table.empty()) continue;
      INFO(said);
      for (int64_t width : {64, 80, 96, 128}) {
        double by_keys = 0, by_batch = 0;
        for (int64_t x = 1; x <= 1 << 16; x += std::max<int64_t>(1, x / 7)) {
          Attention op = attention(2, 2048, 16, width);
          op.kernel = kernel;
          op.keys = x;
          op.causal = false;
          CHECK(seconds(m, op) >= by_keys);
          by_keys = seconds(m, op);
          op = attention(x, 512, 1, width);
          op.kernel = kernel;
          CHECK(seconds(m, op) >= by_batch * (1 - 1e-12));
          by_batch = seconds(m, op);
        }
      }
    }
}

TEST_CASE("backward takes longer than forward, by the row's ratio for long rows") {
  const Machine m = with_table();
  for (int64_t keys : {128, 1024, 16384})
    for (int64_t width : {48, 64, 100, 128, 192}) {
      Attention forward = attention(8, keys, 16, width), backward = forward;
      backward.backward = true;
      CHECK(seconds(m, backward) > seconds(m, forward));
    }
  Attention forward = attention(64, 1 << 17, 16, 128), backward = forward;
  backward.backward = true;
  CHECK(seconds(m, backward) / seconds(m, forward) == doctest::Approx(2.5 * 0.6 / 0.5).epsilon(0.01));
}

TEST_CASE("what was not measured is priced by the fused model, or said to be extrapolated") {
  const Machine m = with_table();
  Attention eight = attention(8, 2048, 16, 128), unknown = eight;
  eight.precision = Precision::fp8;
  unknown.kernel = "flash2";
  for (const Attention& op : {eight, unknown}) CHECK(seconds(m, op) == seconds(m, op, "fused"));
  CHECK(cost(attention(8, 2048, 16, 256), m.device(), {{"attention", "table"}}).provenance == Provenance::extrapolated);
  // Half the width below the first surface: small_head of its efficiency, half its FLOP.
  const double at = seconds(m, attention(64, 16384, 16, 64)), below = seconds(m, attention(64, 16384, 16, 32));
  CHECK(below / at == doctest::Approx(0.5 / 0.8).epsilon(0.01));
}

TEST_CASE("writing a cache takes time beside the kernel, and query heads share the keys of their group") {
  const Machine m = with_table();
  Attention op = attention(8, 4096, 16, 128), cached = op;
  cached.cached = true;
  const double bytes = 2.0 * 2 * 8 * 16 * 4096 * 128 * 2;  // K and V, read and written, 2 bytes
  CHECK(seconds(m, cached) - seconds(m, op) == doctest::Approx(bytes / (0.8 * m.gpu.memory_bandwidth.value)));
  Attention one_query = op, grouped = op;  // a decoding step
  one_query.queries = grouped.queries = 1;
  one_query.heads = grouped.heads = 64;
  one_query.kv_heads = 64;
  grouped.kv_heads = 8;
  CHECK(seconds(m, grouped) < 0.5 * seconds(m, one_query));
}
