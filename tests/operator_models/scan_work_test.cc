// What recurrent mixers multiply, read and write, against walks over chunks: backward passes, bytes, groups, ragged
// ends.
#include "operator_models/scan_work.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace operator_models;

namespace {

/// A rule as its kernels are. Products of a chunk of c tokens, a letter each: g and s are scores (c x c over keys, of a
/// group or a head), w is c x keys over c, v is c x values over c, n is keys x values over c or c x values over keys.
/// Tensors, a letter each: g keys of a group, k of a head, v values, q a square of c x c, s a state.
struct Walked {
  ScanRule rule;
  const char *products, *rebuilt;
  bool inverts, shares;
  double square, side, state;  // vector FLOP of each entry of the square, of keys and values, of keys x values
  const char *read, *written;
  double kernels, backward_kernels;
};
const Walked kWalked[]{
    {ScanRule::selective, "", "", false, false, 0, 0, 9, "ggvvv", "v", 1, 1},
    {ScanRule::state_space, "gvnn", "gn", false, true, 3, 2, 0, "ggggvvqss", "vqss", 5, 10},
    {ScanRule::decay, "gvnn", "gn", false, true, 1, 1, 0, "gggvvs", "vs", 2, 4},
    {ScanRule::delta, "ssvvwnnn", "swvnn", true, false, 6, 3, 0, "gggggkvvvqqs", "kvvvqqs", 6, 9},
    {ScanRule::channel_delta, "sswvvnnn", "swvnn", true, false, 2, 10, 0, "gggggkkkkkvvvqqs", "kkkvvvqqs", 7, 10},
    {ScanRule::rwkv7, "sssswvvvvnnnn", "sssswvvnnn", true, false, 4, 12, 0, "kkkkkkkkkkkkkkvvvvqqqqs",
     "kkkkkkvvvvqqqqs", 7, 10}};

Scan shape(ScanRule rule, int64_t batch, int64_t heads, int64_t groups, int64_t length, int64_t chunk,
           Precision precision = Precision::bf16) {
  return {.rule = rule,
          .batch = batch,
          .heads = heads,
          .key_heads = groups,
          .length = length,
          .key_dim = 3,
          .value_dim = 5,
          .chunk = chunk,
          .precision = precision};
}
const Scan kShapes[]{shape({}, 1, 1, 1, 4, 4), shape({}, 2, 6, 3, 12, 4), shape({}, 3, 4, 1, 8, 8, Precision::fp8),
                     shape({}, 1, 2, 2, 10, 1, Precision::fp32)};

/// Whole chunks, sequence by sequence: the sum of `of(chunk)`.
template <class Of> double over_chunks(const Scan& op, Of of) {
  double sum = 0;
  for (int64_t sequence = 0; sequence < op.batch; ++sequence)
    for (int64_t token = 0; token < op.length; token += op.chunk) sum += of(op.chunk);
  return sum;
}

/// FLOP of the products that the letters name, multiply-add by multiply-add.
double walk_products(const Scan& op, std::string_view letters) {
  const auto product = [](int64_t rows, int64_t columns, int64_t inner) {
    double flops = 0;
    for (int64_t i = 0; i < rows * columns; ++i)
      for (int64_t j = 0; j < inner; ++j) flops += 2;
    return flops;
  };
  const int64_t n = op.key_dim, p = op.value_dim;
  return over_chunks(op, [&](int64_t c) {
    double flops = 0;
    for (const char letter : letters)
      for (int64_t head = 0; head < (letter == 'g' ? op.key_heads : op.heads); ++head)
        flops += letter == 'w'   ? product(c, n, c)
                 : letter == 'v' ? product(c, p, c)
                 : letter == 'n' ? product(n, p, c)
                                 : product(c, c, n);
    return flops;
  });
}

/// Substitution in a unit triangle of c rows is two FLOP for each entry between a row and a column below it: c^3/3 -
/// c/3. The closed form leaves the second part out. Backward: two products of c x c x c.
double walk_inverse(const Scan& op, bool backward) {
  return over_chunks(op, [&](int64_t c) {
    double flops = 0;
    for (int64_t column = 0; column < c; ++column)
      for (int64_t row = column + 1; row < c; ++row) flops += 2.0 * static_cast<double>(row - column);
    const double size = static_cast<double>(c);
    return static_cast<double>(op.heads) * (backward ? 2 * 2 * size * size * size : flops + size / 3);
  });
}

double walk_vector(const Scan& op, const Walked& rule) {
  return over_chunks(op, [&](int64_t c) {
    double flops = 0;
    for (int64_t head = 0; head < op.heads; ++head)
      for (int64_t token = 0; token < c; ++token) {
        for (int64_t other = 0; other < c; ++other) flops += rule.square;
        for (int64_t i = 0; i < op.key_dim + op.value_dim; ++i) flops += rule.side;
        for (int64_t i = 0; i < op.key_dim * op.value_dim; ++i) flops += rule.state;
      }
    return flops;
  });
}

/// Elements of the tensors that the letters name; of a rule whose heads share scores the squares are the groups'.
double walk_elements(const Scan& op, const Walked& rule, std::string_view letters) {
  const int64_t n = op.key_dim, p = op.value_dim;
  return over_chunks(op, [&](int64_t c) {
    double elements = 0;
    for (const char letter : letters) {
      const bool of_groups = letter == 'g' || (letter == 'q' && rule.shares);
      const int64_t each = letter == 'v' ? c * p : letter == 'q' ? c * c : letter == 's' ? n * p : c * n;
      for (int64_t head = 0; head < (of_groups ? op.key_heads : op.heads); ++head)
        elements += static_cast<double>(each);
    }
    return elements;
  });
}

/// All that is proportional to sequences and heads.
struct Sum {
  double matrix = 0, vector = 0, read = 0, written = 0;
  Sum& operator+=(const ScanWork& w) {
    matrix += w.matrix_flops, vector += w.vector_flops, read += w.read_bytes, written += w.written_bytes;
    return *this;
  }
  void check_is(const Sum& other) const {
    CHECK(matrix == doctest::Approx(other.matrix));
    CHECK(vector == doctest::Approx(other.vector));
    CHECK(read == doctest::Approx(other.read));
    CHECK(written == doctest::Approx(other.written));
  }
};
Sum sum_of(const std::vector<Scan>& parts) {
  Sum sum;
  for (const Scan& part : parts) sum += scan_work(part);
  return sum;
}

}  // namespace

TEST_CASE("FLOP and bytes of both passes of each rule are those of a walk over its chunks") {
  for (const Walked& rule : kWalked)
    for (Scan op : kShapes) {
      op.rule = rule.rule;
      CAPTURE(name(op.rule));
      CAPTURE(op.length);
      CAPTURE(op.chunk);
      const ScanWork forward = scan_work(op);
      const double products = walk_products(op, rule.products), vector = walk_vector(op, rule);
      const double element = op.precision == Precision::fp8 ? 1 : op.precision == Precision::bf16 ? 2 : 4;
      const double read = element * walk_elements(op, rule, rule.read),
                   written = element * walk_elements(op, rule, rule.written);
      CHECK(forward.matrix_flops == doctest::Approx(products + (rule.inverts ? walk_inverse(op, false) : 0)));
      CHECK(forward.vector_flops == doctest::Approx(vector));
      CHECK(forward.read_bytes == doctest::Approx(read));
      CHECK(forward.written_bytes == doctest::Approx(written));
      CHECK(forward.kernels == rule.kernels);
      CHECK(forward.chunks == static_cast<double>(op.length / op.chunk));
      op.backward = true;
      const ScanWork backward = scan_work(op);
      CHECK(backward.matrix_flops == doctest::Approx(2 * products + walk_products(op, rule.rebuilt) +
                                                     (rule.inverts ? walk_inverse(op, true) : 0)));
      CHECK(backward.vector_flops == doctest::Approx(3 * vector));
      CHECK(backward.read_bytes == doctest::Approx(3 * read));
      CHECK(backward.written_bytes == doctest::Approx(3 * written));
      CHECK(backward.kernels == rule.backward_kernels);
      CHECK(backward.chunks == forward.chunks);
    }
}

TEST_CASE("a chunk longer than its sequence is the sequence, one that is not positive a token") {
  for (const Walked& rule : kWalked)
    for (const bool backward : {false, true}) {
      CAPTURE(name(rule.rule));
      const auto of = [&](int64_t chunk) {
        Scan op = shape(rule.rule, 2, 4, 2, 6, chunk);
        op.backward = backward;
        return op;
      };
      for (const int64_t chunk : {7, 64, 1 << 20}) {
        sum_of({of(chunk)}).check_is(sum_of({of(6)}));
        CHECK(scan_work(of(chunk)).chunks == 1);
      }
      for (const int64_t chunk : {0, -3}) sum_of({of(chunk)}).check_is(sum_of({of(1)}));
    }
}

TEST_CASE("tokens behind the last whole chunk take a chunk of the pass, and their part of the work") {
  for (const Walked& rule : kWalked)
    for (const int64_t rest : {1, 3}) {
      CAPTURE(name(rule.rule));
      const ScanWork whole = scan_work(shape(rule.rule, 1, 2, 1, 8, 4));
      const ScanWork more = scan_work(shape(rule.rule, 1, 2, 1, 8 + rest, 4));
      CHECK(whole.chunks == 2);
      CHECK(more.chunks == 3);
      const double share = static_cast<double>(8 + rest) / 8;
      CHECK(more.matrix_flops == doctest::Approx(share * whole.matrix_flops));
      CHECK(more.vector_flops == doctest::Approx(share * whole.vector_flops));
      CHECK(more.read_bytes == doctest::Approx(share * whole.read_bytes));
    }
}

TEST_CASE("unequal parts of the sequences, or of the groups with their heads, have the work of all") {
  for (const Walked& rule : kWalked)
    for (const bool backward : {false, true}) {
      CAPTURE(name(rule.rule));
      const auto of = [&](int64_t batch, int64_t heads, int64_t groups) {
        Scan op = shape(rule.rule, batch, heads, groups, 12, 4);
        op.backward = backward;
        return op;
      };
      const Sum whole = sum_of({of(5, 6, 3)});
      sum_of({of(1, 6, 3), of(4, 6, 3)}).check_is(whole);
      sum_of({of(5, 6, 16)}).check_is(sum_of({of(5, 6, 6)}));  // no more groups than heads
      sum_of({of(5, 2, 1), of(5, 4, 2)}).check_is(whole);
      CHECK(scan_work(of(1, 6, 3)).chunks == scan_work(of(5, 2, 1)).chunks);
    }
}
