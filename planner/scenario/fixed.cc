#include "planner/scenario/fixed.h"

#include <algorithm>
#include <numeric>

namespace planner {
namespace {

bool is_table(FixedKind kind) { return kind == FixedKind::lookup || kind == FixedKind::embedding; }

double product_of(int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

/// Multiply-adds of one row (of a recurrent layer: of one step).
double multiply_adds(const FixedOperator& o) {
  if (is_matrix(o.kind)) return product_of(o.in, o.out) * static_cast<double>(window_of(o));
  if (o.kind == FixedKind::product) return product_of(o.in, o.out);
  if (is_recurrent(o.kind)) return product_of(directions_of(o) * gates_of(o.kind) * o.out, o.in + o.out);
  return 0;
}

double table_weights(const FixedOperator& o) {
  if (o.kind == FixedKind::embedding) return product_of(o.in, o.out);
  return std::accumulate(o.tables.begin(), o.tables.end(), 0.0) * static_cast<double>(o.out);
}

double biases(const FixedOperator& o) {
  if (!o.bias) return 0;
  // One beside the input's matrix and one beside the hidden state's, as cuDNN and MIOpen have them.
  if (is_recurrent(o.kind)) return 2 * product_of(directions_of(o) * gates_of(o.kind), o.out);
  return static_cast<double>(o.out);
}

double weights(const FixedOperator& o) {
  if (is_matrix(o.kind) || is_recurrent(o.kind)) return multiply_adds(o) + biases(o);
  if (o.kind == FixedKind::batch_norm) return 2 * static_cast<double>(o.out);
  return is_table(o.kind) ? table_weights(o) : 0;
}

double sum_over(const std::vector<FixedOperator>& operators, double (*of)(const FixedOperator&)) {
  double sum = 0;
  for (const FixedOperator& o : operators) sum += static_cast<double>(o.count) * of(o);
  return sum;
}

}  // namespace

bool is_matrix(FixedKind kind) { return kind == FixedKind::linear || kind == FixedKind::convolution; }

bool is_recurrent(FixedKind kind) { return kind == FixedKind::lstm || kind == FixedKind::gru; }

const KindFields& fields_of(FixedKind kind) {
  static const std::vector<KindFields> rows{
      {FixedKind::linear, {"in"}, {"bias", "keeps_input"}},
      {FixedKind::convolution, {"in"}, {"kernel", "stride", "kernel_width", "stride_width", "bias", "keeps_input"}},
      {FixedKind::batch_norm, {}, {"keeps_input"}},
      {FixedKind::activation, {}, {}},
      {FixedKind::add, {}, {}},
      {FixedKind::vector, {"in"}, {"keeps_input"}},
      {FixedKind::lookup, {"tables"}, {}},
      {FixedKind::embedding, {"in"}, {}},
      {FixedKind::product, {"in"}, {"keeps_input"}},
      {FixedKind::lstm, {"in"}, {"bias", "bidirectional", "keeps_input"}},
      {FixedKind::gru, {"in"}, {"bias", "bidirectional", "keeps_input"}},
  };
  return *std::ranges::find(rows, kind, &KindFields::kind);
}

bool is_of_sequences(FixedKind kind) {
  return is_recurrent(kind) || kind == FixedKind::embedding || kind == FixedKind::product;
}

int64_t width_of(const FixedOperator& o) { return o.kernel_width > 0 ? o.kernel_width : o.kernel; }

int64_t across_of(const FixedOperator& o) { return o.stride_width > 0 ? o.stride_width : o.stride; }

int64_t window_of(const FixedOperator& o) { return o.kernel * width_of(o); }

int64_t step_of(const FixedOperator& o) { return o.stride * across_of(o); }

int64_t gates_of(FixedKind kind) { return kind == FixedKind::lstm ? 4 : 3; }

int64_t directions_of(const FixedOperator& o) { return o.bidirectional ? 2 : 1; }

double fixed_parameters(const std::vector<FixedOperator>& operators) { return sum_over(operators, weights); }

double fixed_tables(const std::vector<FixedOperator>& operators) {
  return sum_over(operators, [](const FixedOperator& o) { return is_table(o.kind) ? table_weights(o) : 0; });
}

double fixed_flops(const std::vector<FixedOperator>& operators) {
  return sum_over(operators, [](const FixedOperator& o) { return 2 * static_cast<double>(o.rows) * multiply_adds(o); });
}

}  // namespace planner
