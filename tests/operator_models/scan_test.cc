// Work and time of recurrent mixers: closed forms against products that are counted one by one.
#include "operator_models/scan_work.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

/// Counts multiply-adds of matrix products by walking through them, as two FLOP each.
struct Counter {
  double flops = 0;
  void product(int64_t m, int64_t n, int64_t k) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) flops += 2 * static_cast<double>(k);
  }
  /// Forward substitution of a unit triangular matrix, with as many right sides as rows: C^3 / 3 for large C.
  void inverse(int64_t c) {
    for (int64_t column = 0; column < c; ++column)
      for (int64_t row = column + 1; row < c; ++row) flops += 2 * static_cast<double>(row - column);
  }
};

/// Products of one chunk of c tokens with n keys and p values, as the papers write them.
void chunk_of_state_space(Counter& k, int64_t c, int64_t n, int64_t p, int64_t heads, int64_t groups) {
  for (int64_t g = 0; g < groups; ++g) k.product(c, c, n);  // C B^T
  for (int64_t h = 0; h < heads; ++h) {
    k.product(c, p, c);  // (L o C B^T) X
    k.product(n, p, c);  // the chunk's state, B^T X
    k.product(c, p, n);  // C times the state before it
  }
}
void chunk_of_delta(Counter& k, int64_t c, int64_t n, int64_t p, int64_t heads) {
  for (int64_t h = 0; h < heads; ++h) {
    k.product(c, c, n);  // K K^T
    k.inverse(c);        // T
    k.product(c, n, c);  // W = T K
    k.product(c, p, c);  // U = T V
    k.product(c, p, n);  // W S
    k.product(n, p, c);  // K^T (U - W S)
    k.product(c, c, n);  // Q K^T
    k.product(c, p, n);  // Q S
    k.product(c, p, c);  // (Q K^T) (U - W S)
  }
}
void chunk_of_rwkv7(Counter& k, int64_t c, int64_t n, int64_t p, int64_t heads) {
  for (int64_t h = 0; h < heads; ++h) {
    for (int pair = 0; pair < 4; ++pair) k.product(c, c, n);  // A_ab, A_ak, A_qb, A_qk
    k.inverse(c);
    k.product(c, n, c);  // W = T a
    k.product(c, p, c);  // A_ak V
    k.product(c, p, c);  // U = T (A_ak V)
    k.product(c, p, n);  // W S
    k.product(n, p, c);  // K^T V
    k.product(n, p, c);  // B^T U
    k.product(c, p, n);  // Q S
    k.product(c, p, c);  // A_qk V
    k.product(c, p, c);  // A_qb U
  }
}

struct Case {
  int64_t batch, heads, groups, chunks, chunk, keys, values;
};
const std::vector<Case> kCases{
    {1, 1, 1, 1, 64, 16, 16}, {2, 4, 2, 3, 64, 32, 16}, {1, 6, 1, 2, 128, 64, 32}, {3, 2, 2, 4, 64, 8, 64}};

Scan scan_of(const Case& c, ScanRule rule) {
  return {.rule = rule,
          .batch = c.batch,
          .heads = c.heads,
          .key_heads = c.groups,
          .length = c.chunks * c.chunk,
          .key_dim = c.keys,
          .value_dim = c.values,
          .chunk = c.chunk};
}

Scan large(ScanRule rule) {
  return {.rule = rule, .batch = 4, .heads = 32, .key_heads = 16, .length = 8192, .key_dim = 128, .value_dim = 128};
}

std::vector<ScanRule> rules() {
  std::vector<ScanRule> all;
  for (size_t i = 0; i < kScanRuleNames.size(); ++i) all.push_back(static_cast<ScanRule>(i));
  return all;
}

double flops(const Scan& op) {
  const ScanWork w = scan_work(op);
  return w.matrix_flops + w.vector_flops;
}

}  // namespace

TEST_CASE("matrix FLOP of a rule are those of its products, counted one by one") {
  for (const Case& c : kCases) {
    Counter states, delta, rwkv;
    for (int64_t i = 0; i < c.batch * c.chunks; ++i) {
      chunk_of_state_space(states, c.chunk, c.keys, c.values, c.heads, c.groups);
      chunk_of_delta(delta, c.chunk, c.keys, c.values, c.heads);
      chunk_of_rwkv7(rwkv, c.chunk, c.keys, c.values, c.heads);
    }
    CHECK(scan_work(scan_of(c, ScanRule::state_space)).matrix_flops == states.flops);
    CHECK(scan_work(scan_of(c, ScanRule::decay)).matrix_flops == states.flops);
    // The substitution is C^3/3 - C/3: one part in C^2 less than the closed form.
    CHECK(scan_work(scan_of(c, ScanRule::delta)).matrix_flops == doctest::Approx(delta.flops).epsilon(1e-3));
    CHECK(scan_work(scan_of(c, ScanRule::channel_delta)).matrix_flops == doctest::Approx(delta.flops).epsilon(1e-3));
    CHECK(scan_work(scan_of(c, ScanRule::rwkv7)).matrix_flops == doctest::Approx(rwkv.flops).epsilon(1e-3));
  }
}

TEST_CASE("a selective scan multiplies no matrices: nine FLOP for each value, key and token") {
  for (const Case& c : kCases) {
    const ScanWork w = scan_work(scan_of(c, ScanRule::selective));
    double walked = 0;
    for (int64_t token = 0; token < c.batch * c.chunks * c.chunk; ++token)
      for (int64_t channel = 0; channel < c.heads * c.values; ++channel) walked += 9.0 * static_cast<double>(c.keys);
    CHECK(w.matrix_flops == 0);
    CHECK(w.vector_flops == walked);
  }
}

TEST_CASE("a backward pass has two gradients for each product, and what is made again") {
  struct Expected {
    ScanRule rule;
    double least, most;  // times forward's matrices
  };
  for (const auto& [rule, least, most] : {Expected{ScanRule::state_space, 2.3, 2.6},
                                          {ScanRule::decay, 2.3, 2.6},
                                          {ScanRule::delta, 2.6, 2.8},
                                          {ScanRule::channel_delta, 2.6, 2.8},
                                          {ScanRule::rwkv7, 2.5, 3}}) {
    const auto& said = rule;
    CAPTURE(name(said));
    Scan op = large(rule);
    const ScanWork forward = scan_work(op);
    op.backward = true;
    const ScanWork backward = scan_work(op);
    CHECK(backward.matrix_flops >= least * forward.matrix_flops);
    CHECK(backward.matrix_flops <= most * forward.matrix_flops);
    CHECK(backward.read_bytes == 3 * forward.read_bytes);
    CHECK(backward.kernels >= forward.kernels);
  }
}

TEST_CASE("dividing sequences, heads with their groups, or tokens divides work and traffic") {
  for (const ScanRule rule : rules())
    for (const bool backward : {false, true}) {
      CAPTURE(name(rule));
      Scan whole = large(rule);
      whole.backward = backward;
      Scan batch = whole, heads = whole, tokens = whole;
      batch.batch /= 2;
      heads.heads /= 2, heads.key_heads /= 2;
      tokens.length /= 2;
      for (const Scan& half : {batch, heads, tokens}) {
        CHECK(2 * flops(half) == doctest::Approx(flops(whole)));
        CHECK(2 * scan_work(half).read_bytes == doctest::Approx(scan_work(whole).read_bytes));
        CHECK(2 * scan_work(half).written_bytes == doctest::Approx(scan_work(whole).written_bytes));
      }
    }
}

TEST_CASE("heads that share keys read them once, and only a state space shares their scores") {
  for (const ScanRule rule : rules()) {
    CAPTURE(name(rule));
    Scan shared = large(rule), apart = shared;
    shared.key_heads = 1;
    apart.key_heads = apart.heads;
    const bool shares = rule == ScanRule::state_space || rule == ScanRule::decay;
    CHECK((scan_work(shared).matrix_flops < scan_work(apart).matrix_flops) == shares);
    CHECK((scan_work(shared).read_bytes < scan_work(apart).read_bytes) == (rule != ScanRule::rwkv7));
  }
}

TEST_CASE("a chunk is no longer than its sequence, and nothing costs nothing") {
  Scan op = large(ScanRule::delta);
  op.length = 32;
  Scan short_chunk = op;
  short_chunk.chunk = 32;
  CHECK(flops(op) == flops(short_chunk));
  CHECK(scan_work(op).chunks == 1);
  Machine m = machine(kH100);
  for (int64_t Scan::*size :
       {&Scan::batch, &Scan::heads, &Scan::key_heads, &Scan::length, &Scan::key_dim, &Scan::value_dim}) {
    Scan none = large(ScanRule::delta);
    none.*size = 0;
    CHECK(m.seconds(none) == 0);
    CHECK(cost(none, m.device()).flops == 0);
  }
}

TEST_CASE("more tokens, heads, keys or values never take less time, and backward no less than forward") {
  Machine m = machine(kH100);
  for (const ScanRule rule : rules())
    for (int64_t Scan::*size : {&Scan::batch, &Scan::heads, &Scan::length, &Scan::key_dim, &Scan::value_dim}) {
      CAPTURE(name(rule));
      double before = 0;
      for (int64_t n = 1; n <= 4096; n *= 2) {
        Scan op = large(rule);
        op.*size = n;
        if (size != &Scan::length) op.length = 1024;
        op.chunk = 64;
        const double seconds = m.seconds(op);
        CHECK(seconds >= before);
        before = seconds;
        op.backward = true;
        CHECK(m.seconds(op) >= seconds);
      }
    }
}

TEST_CASE("the time of a scan is its launches, its base, and roofline and states joined") {
  Machine m = machine(kH100);
  m.calibration.launch = {1e-6};
  m.calibration.scan["delta"] = {.matrix = 0.5, .vector = 0.5, .memory = 0.8, .base = {3e-6}, .step = {2e-6}};
  const Scan op = large(ScanRule::delta);
  const ScanWork w = scan_work(op);
  const double matrix = w.matrix_flops / (0.5 * m.gpu.flops.bf16->value);
  const double memory = (w.read_bytes + w.written_bytes) / (0.8 * m.gpu.memory_bandwidth.value);
  const double vector = w.vector_flops / (0.5 * m.gpu.vector_flops.value);
  const double roof = std::max({matrix, memory, vector}), states = 128 * 2e-6;
  const Cost c = cost(op, m.device());
  CHECK(1e6 * c.seconds.value == doctest::Approx(6 + 3 + 1e6 * std::sqrt(roof * roof + states * states)));
  CHECK(1e6 * c.launch.value == doctest::Approx(6));
  CHECK(std::string(c.model) == "chunks");
}

TEST_CASE("rules that nobody measured say so") {
  for (const auto& [rule, provenance] : {std::pair{ScanRule::delta, Provenance::interpolated},
                                         {ScanRule::channel_delta, Provenance::interpolated},
                                         {ScanRule::rwkv7, Provenance::assumed},
                                         {ScanRule::selective, Provenance::assumed}})
    CHECK(cost(large(rule), machine(kH100).device()).provenance == provenance);
  CHECK(cost(large(ScanRule::delta), machine(kA100).device()).provenance == Provenance::assumed);
}
