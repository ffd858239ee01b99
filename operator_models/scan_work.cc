#include "operator_models/scan_work.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "operator_models/attention_shape.h"

namespace operator_models {
namespace {

/// Multiples of the sizes of one token: of a chunk's square with keys (CN), with values (CP), of the state (NP).
struct Products {
  double keys = 0, values = 0, states = 0;
};

/// Elements that the kernels of a pass read and write for each token: keys by groups, keys by heads, values, entries of
/// the chunk's square (C), and states (NP, one for each chunk).
struct Elements {
  double shared = 0, keys = 0, values = 0, squares = 0, states = 0;
};

/// A row of a rule: the products, those that backward repeats, the bytes, the number of kernels.
struct RuleRow {
  ScanRule rule;
  bool shares_scores = false;  // one square of scores for all heads of a group
  bool inverts = false;        // a triangular matrix of each chunk
  Products forward, rebuilt;
  Products vector;  // exponents, masks and factors: of squares (C), of keys (N) and values alike, of states (NP)
  Elements read, written;
  double kernels = 1, backward_kernels = 1;
};

// Kernels and traffic: mamba_ssm (Triton) for state-space and selective, flash-linear-attention's chunk kernels for the
// others: each kernel reads what it needs, and writes what the next one reads.
constexpr RuleRow kRules[] = {
    {.rule = ScanRule::selective,
     .rebuilt = {},
     .vector = {.states = 9},
     .read = {.shared = 2, .values = 3},
     .written = {.values = 1}},
    {.rule = ScanRule::state_space,
     .shares_scores = true,
     .forward = {.keys = 2, .values = 2, .states = 4},
     .rebuilt = {.keys = 2, .states = 2},
     .vector = {.keys = 3, .values = 2},
     .read = {.shared = 4, .values = 2, .squares = 1, .states = 2},
     .written = {.values = 1, .squares = 1, .states = 2},
     .kernels = 5,
     .backward_kernels = 10},
    {.rule = ScanRule::decay,
     .shares_scores = true,
     .forward = {.keys = 2, .values = 2, .states = 4},
     .rebuilt = {.keys = 2, .states = 2},
     .vector = {.keys = 1, .values = 1},
     .read = {.shared = 3, .values = 2, .states = 1},
     .written = {.values = 1, .states = 1},
     .kernels = 2,
     .backward_kernels = 4},
    {.rule = ScanRule::delta,
     .inverts = true,
     .forward = {.keys = 6, .values = 4, .states = 6},
     .rebuilt = {.keys = 4, .values = 2, .states = 4},
     .vector = {.keys = 6, .values = 3},
     .read = {.shared = 5, .keys = 1, .values = 3, .squares = 2, .states = 1},
     .written = {.keys = 1, .values = 3, .squares = 2, .states = 1},
     .kernels = 6,
     .backward_kernels = 9},
    {.rule = ScanRule::channel_delta,
     .inverts = true,
     .forward = {.keys = 6, .values = 4, .states = 6},
     .rebuilt = {.keys = 4, .values = 2, .states = 4},
     .vector = {.keys = 2, .values = 10},
     .read = {.shared = 5, .keys = 5, .values = 3, .squares = 2, .states = 1},
     .written = {.keys = 3, .values = 3, .squares = 2, .states = 1},
     .kernels = 7,
     .backward_kernels = 10},
    {.rule = ScanRule::rwkv7,
     .inverts = true,
     .forward = {.keys = 10, .values = 8, .states = 8},
     .rebuilt = {.keys = 10, .values = 4, .states = 6},
     .vector = {.keys = 4, .values = 12},
     .read = {.keys = 14, .values = 4, .squares = 4, .states = 1},
     .written = {.keys = 6, .values = 4, .squares = 4, .states = 1},
     .kernels = 7,
     .backward_kernels = 10},
};
static_assert(std::size(kRules) == kScanRuleNames.size());
static_assert(
    [] {
      for (size_t i = 0; i < std::size(kRules); ++i)
        if (kRules[i].rule != static_cast<ScanRule>(i)) return false;
      return true;
    }(),
    "a row for each rule, in their order");

// A pass backward has two gradients for each product, and makes again what forward did not keep: the vector unit and
// the memory see forward's work three times.
constexpr double kGradients = 2, kBackwardPasses = 3;

/// Sizes of an operator as numbers.
struct ScanSizes {
  explicit ScanSizes(const Scan& op)
      : tokens(real(op.batch) * real(op.length)),
        heads(real(op.heads)),
        groups(real(std::min(op.key_heads, op.heads))),
        keys(real(op.key_dim)),
        values(real(op.value_dim)),
        chunk(real(std::clamp<int64_t>(op.chunk, 1, std::max<int64_t>(1, op.length)))) {}
  double tokens, heads, groups, keys, values, chunk;
};

double flops(const RuleRow& row, const Products& p, const ScanSizes& s) {
  const double scores = row.shares_scores ? s.groups : s.heads;
  return s.tokens *
         (scores * p.keys * s.chunk * s.keys + s.heads * (p.values * s.chunk + p.states * s.keys) * s.values);
}

/// The inverse, and its gradient: two products of C x C.
double inverse_flops(const RuleRow& row, const ScanSizes& s, bool backward) {
  if (!row.inverts) return 0;
  return s.tokens * s.heads * s.chunk * s.chunk * (backward ? 4 : 1.0 / 3);
}

double matrix_flops(const RuleRow& row, const ScanSizes& s, bool backward) {
  const double forward = flops(row, row.forward, s), inverse = inverse_flops(row, s, backward);
  return backward ? kGradients * forward + flops(row, row.rebuilt, s) + inverse : forward + inverse;
}

double vector_flops(const RuleRow& row, const ScanSizes& s) {
  const Products& v = row.vector;
  return s.tokens * s.heads * (v.keys * s.chunk + v.values * (s.keys + s.values) + v.states * s.keys * s.values);
}

double elements(const RuleRow& row, const Elements& e, const ScanSizes& s) {
  const double squares = e.squares * s.chunk * (row.shares_scores ? s.groups : s.heads);
  const double of_heads = e.keys * s.keys + e.values * s.values + e.states * s.keys * s.values / s.chunk;
  return s.tokens * (e.shared * s.keys * s.groups + squares + of_heads * s.heads);
}

}  // namespace

ScanWork scan_work(const Scan& op) {
  const ScanSizes s(op);
  if (s.tokens <= 0 || s.heads <= 0 || s.groups <= 0 || s.keys <= 0 || s.values <= 0) return {};
  const RuleRow& row = kRules[static_cast<size_t>(op.rule)];
  const double passes = op.backward ? kBackwardPasses : 1, element = element_bytes(op.precision);
  return {.matrix_flops = matrix_flops(row, s, op.backward),
          .vector_flops = passes * vector_flops(row, s),
          .read_bytes = passes * element * elements(row, row.read, s),
          .written_bytes = passes * element * elements(row, row.written, s),
          .kernels = op.backward ? row.backward_kernels : row.kernels,
          .chunks = std::ceil(real(op.length) / s.chunk)};
}

}  // namespace operator_models
