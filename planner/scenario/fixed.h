// A model that is not a Transformer: its operators for one sample, in the order of the forward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/fields.h"

namespace planner {

/// The operation on each of an operator's `rows`.
enum class FixedKind {
  linear,       // a matrix product of `in` and `out` values
  convolution,  // the same over a window of kernel x kernel pixels (an implicit GEMM); rows: output pixels
  batch_norm,   // statistics over the batch, scale and shift of `out` channels
  activation,   // a function of each of `out` values
  add,          // the sum of two branches of `out` values
  vector,       // any other kernel bound by memory: reads `in` values, writes `out`
  lookup,       // a row of `out` values from each of `tables`
  embedding,    // a row of `out` values from one table of `in` rows, trained and reduced as other weights are
  product,      // of two activations of a sample: `rows` of `in` values times `in` rows of `out` (attention's context)
  lstm,         // `rows` steps one after the other, `in` values to `out` (Hochreiter & Schmidhuber 1997)
  gru,          // the same with three gates (Cho et al. 2014, arXiv:1406.1078)
};
inline constexpr auto& kFixedNames = dsl::kEnumWords<FixedKind>;

struct FixedOperator {
  std::string name;
  FixedKind kind = FixedKind::linear;
  int64_t rows = 1;                            // of one sample
  int64_t in = 0, out = 0;                     // values of a row (channels)
  int64_t kernel = 1, stride = 1;              // of a convolution, in pixels
  int64_t kernel_width = 0, stride_width = 0;  // across; 0: as kernel and stride
  int64_t count = 1;                           // equal operators
  bool bias = false;
  bool bidirectional = false;   // lstm, gru: a second layer runs from the last step to the first
  bool keeps_input = true;      // false: another operator keeps the same tensor for backward
  std::vector<int64_t> tables;  // rows of each embedding table
};

template <class V> void fields(V& v, FixedOperator& o) {
  v("name", o.name, {.required = true, .doc = "name in the list of operators"});
  v("kind", o.kind, {.required = true, .doc = "what it does"});
  v("rows", o.rows, {.least = 1, .most = 1e9, .doc = "rows of one sample: output pixels, lookups, steps"});
  v("in", o.in, {.least = 0, .most = 1e9, .doc = "values that a row reads (input channels)"});
  v("out", o.out, {.required = true, .least = 1, .most = 1e9, .doc = "values that a row writes (output channels)"});
  v("kernel", o.kernel, {.least = 1, .most = 1000, .doc = "side of a convolution's window"});
  v("stride", o.stride, {.least = 1, .most = 1000, .doc = "step of a convolution's window"});
  v("kernel_width", o.kernel_width, {.least = 0, .most = 1000, .doc = "other side of the window; 0: as kernel"});
  v("stride_width", o.stride_width, {.least = 0, .most = 1000, .doc = "step along that side; 0: as stride"});
  v("count", o.count, {.least = 1, .most = 1e6, .doc = "equal operators"});
  v("bias", o.bias, {.doc = "a bias on each output; lstm, gru: two on each gate"});
  v("bidirectional", o.bidirectional, {.doc = "lstm, gru: a layer in each direction"});
  v("keeps_input", o.keeps_input, {.doc = "its input is kept for backward; false: by another"});
  v("tables", o.tables, {.least = 1, .doc = "rows of each embedding table"});
}

/// Fields of an operator that its kind must and may have, in addition to name, kind, rows, out and count.
struct KindFields {
  FixedKind kind;
  std::vector<std::string> needs, may;
};
const KindFields& fields_of(FixedKind kind);
/// One matrix, whose rows are independent: linear, convolution.
bool is_matrix(FixedKind kind);
bool is_recurrent(FixedKind kind);
/// Kinds of models whose samples are sequences: a list without any has samples of one row (images, records).
bool is_of_sequences(FixedKind kind);
/// The other sides of a convolution's window and step.
int64_t width_of(const FixedOperator& o);
int64_t across_of(const FixedOperator& o);
/// Pixels of a convolution's window; input pixels for each of its outputs.
int64_t window_of(const FixedOperator& o);
int64_t step_of(const FixedOperator& o);
/// Count, for a recurrent layer, the matrices of one direction that `in`, and again `out`, values go through, and its
/// directions.
int64_t gates_of(FixedKind kind);
int64_t directions_of(const FixedOperator& o);

/// Parameters of all operators, and of the tables among them that rows are only looked up in.
double fixed_parameters(const std::vector<FixedOperator>& operators);
double fixed_tables(const std::vector<FixedOperator>& operators);
/// FLOPs of one forward pass of one sample: 2 per multiply-add of the matrix products.
double fixed_flops(const std::vector<FixedOperator>& operators);

}  // namespace planner
