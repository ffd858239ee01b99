// The choice of keys, and attention over the chosen ones: pairs against loops, work, time.
#include "operator_models/attention_shape.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

/// Walks through the square: the last query sees all keys.
double walked(int64_t queries, int64_t keys, bool causal, int64_t most) {
  double pairs = 0;
  for (int64_t q = 0; q < queries; ++q) {
    int64_t seen = 0;
    for (int64_t k = 0; k < keys; ++k)
      if ((!causal || k <= keys - queries + q) && (most == 0 || seen < most)) ++seen;
    pairs += static_cast<double>(seen);
  }
  return pairs;
}

const Selection kIndexer{.queries = 8192, .keys = 8192, .heads = 64, .head_dim = 128, .top_k = 2048};

Attention sparse(int64_t selected) {
  return {.kernel = "te",
          .heads = 64,
          .kv_heads = 1,
          .queries = 8192,
          .keys = 8192,
          .head_dim = 576,
          .value_dim = 512,
          .selected = selected};
}

}  // namespace

TEST_CASE("pairs under a mask with at most so many keys are those that a loop finds") {
  for (const int64_t queries : {1, 7, 32, 50})
    for (const int64_t keys : {1, 7, 32, 64})
      for (const int64_t most : {0, 1, 5, 32, 100})
        for (const bool causal : {false, true}) {
          CAPTURE(queries);
          CAPTURE(keys);
          CAPTURE(most);
          CHECK(seen_pairs(queries, keys, causal, most) == walked(queries, keys, causal, most));
        }
}

TEST_CASE("scores are those of all pairs, gradients those of the chosen ones with their scores made again") {
  Machine m = machine(kH100);
  Selection op{.batch = 2, .queries = 32, .keys = 64, .heads = 4, .head_dim = 16, .top_k = 8};
  CHECK(cost(op, m.device()).flops == 2.0 * 2 * 4 * 16 * walked(32, 64, true, 0));
  op.backward = true;
  CHECK(cost(op, m.device()).flops == 3 * 2.0 * 2 * 4 * 16 * walked(32, 64, true, 8));
  op.causal = false;
  CHECK(cost(op, m.device()).flops == 3 * 2.0 * 2 * 4 * 16 * 32 * 8);
}

TEST_CASE("dividing sequences or heads divides a selection's FLOP, and more of anything takes no less time") {
  Machine m = machine(kH100);
  for (int64_t Selection::*size : {&Selection::batch, &Selection::heads, &Selection::head_dim}) {
    Selection one = kIndexer, two = kIndexer;
    two.*size = 2 * (one.*size);
    CHECK(cost(two, m.device()).flops == 2 * cost(one, m.device()).flops);
  }
  for (int64_t Selection::*size : {&Selection::batch, &Selection::heads, &Selection::head_dim, &Selection::keys}) {
    double before = 0;
    for (int64_t n = 1; n <= 65536; n *= 4) {
      Selection op = kIndexer;
      op.queries = 1024;
      op.*size = n;
      const double seconds = m.seconds(op);
      CHECK(seconds >= before);
      before = seconds;
    }
  }
}

TEST_CASE("a selection's time is that of its scores and of its choice") {
  Machine m = machine(kH100);
  m.calibration.launch = {1e-6};
  m.calibration.selection["default"] = {.matrix = 0.4, .choice = 0.2, .query = {1e-8}, .base = {5e-6}};
  const double pairs = walked(8192, 8192, true, 0);
  const double scores = 2.0 * 64 * 128 * pairs / (0.4 * m.gpu.flops.bf16->value);
  const double choice = 8192 * 1e-8 + 4 * pairs / (0.2 * m.gpu.memory_bandwidth.value);
  CHECK(1e6 * m.seconds(kIndexer) == doctest::Approx(2 + 5 + 1e6 * (scores + choice)));
  Selection alone = kIndexer;
  alone.top_k = 0;
  CHECK(1e6 * m.seconds(alone) == doctest::Approx(1 + 5 + 1e6 * scores));
}

TEST_CASE("attention over chosen keys works on as many for each query, and has a row of its own") {
  Machine m = machine(kH100);
  const Cost c = cost(sparse(2048), m.device());
  CHECK(c.flops == 2.0 * 64 * (576 + 512) * 8192 * 2048);
  CHECK(c.provenance == Provenance::interpolated);
  CHECK(executed_pairs(sparse(64), 0) == walked(8192, 8192, true, 64));
  m.calibration.attention.at("selected").forward /= 2;
  CHECK(m.seconds(sparse(2048)) > 1.9 * c.seconds.value);
  m.calibration.attention.erase("selected");
  CHECK(cost(sparse(2048), m.device()).provenance == Provenance::assumed);
  CHECK(m.seconds(sparse(1024)) < m.seconds(sparse(2048)));
}
