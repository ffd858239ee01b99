// Fixed operator lists (models that are not Transformers): one layer, with as many rows as the microbatch has samples.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <variant>
#include <vector>

#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

/// Of `stride` neighbouring input pixels along one side: how many lie in a given number of windows.
struct Touched {
  int64_t windows, pixels;
};
std::array<Touched, 2> touched_along(int64_t kernel, int64_t stride) {
  return {{{kernel / stride + 1, kernel % stride}, {kernel / stride, stride - kernel % stride}}};
}

/// Input pixels for each output, by the number of windows (one or more) that they lie in.
std::map<int64_t, int64_t> touched_by(const FixedOperator& o) {
  std::map<int64_t, int64_t> pixels;
  for (const Touched& y : touched_along(o.kernel, o.stride))
    for (const Touched& x : touched_along(width_of(o), across_of(o)))
      if (y.windows * y.pixels * x.windows * x.pixels > 0) pixels[y.windows * x.windows] += y.pixels * x.pixels;
  return pixels;
}

int64_t touched_of(const FixedOperator& o) {
  return std::min(o.kernel, o.stride) * std::min(width_of(o), across_of(o));
}

// Only some of a window's pixels are new to memory: neighbouring windows share the others.
double new_pixels(const FixedOperator& o) {
  return static_cast<double>(touched_of(o)) / static_cast<double>(window_of(o));
}

// The gradient of an input pixel sums over the windows that it lies in: pixels of one phase of the step go through a
// convolution of their own (Shi et al. 2016, arXiv:1609.07009), and those of equal depth are one GEMM. Together they
// do the forward pass's FLOPs, read the weights and the output's gradient once and write the whole input's gradient,
// zeros where no window comes.
std::vector<WorkOp> input_gradient(const FixedOperator& o, const WorkOp& whole) {
  std::vector<WorkOp> parts;
  const double written = static_cast<double>(step_of(o)) / static_cast<double>(touched_of(o));
  for (const auto& [windows, pixels] : touched_by(o)) {
    parts.push_back(whole);
    auto& g = std::get<Gemm>(parts.back().op);
    g.m = o.in;
    g.n *= pixels;
    g.k = o.out * windows;
    g.a_bytes *= static_cast<double>(pixels);
    g.b_bytes /= static_cast<double>(window_of(o));
    g.c_bytes *= written;
  }
  return parts;
}

// A convolution is an implicit GEMM with one row per output pixel and kernel^2 inputs per channel (Chetlur et al.
// 2014, cuDNN, arXiv:1410.0759).
void convolve(const FixedOperator& o, Block& block, size_t first) {
  std::vector<WorkOp> ops;
  for (size_t i = first; i < block.ops.size(); ++i) {
    WorkOp& w = block.ops[i];
    auto* g = std::get_if<Gemm>(&w.op);
    if (g && w.phase == StepPhase::forward) g->b_bytes *= new_pixels(o);
    if (g && w.weight_gradient) g->a_bytes *= new_pixels(o);
    if (g && g->pass == operator_models::GemmPass::dgrad)
      std::ranges::move(input_gradient(o, w), std::back_inserter(ops));
    else ops.push_back(std::move(w));
  }
  block.ops.resize(first);
  std::ranges::move(ops, std::back_inserter(block.ops));
}

void lower_matrix(const MicrobatchShape& shape, const FixedOperator& o, Block& block, BlockBuilder& b) {
  const size_t first = block.ops.size();
  const double rows = static_cast<double>(shape.batch * o.rows);
  b.linear({.name = o.name,
            .role = Role::listed,
            .rows = rows,
            .in = o.in * window_of(o),
            .out = o.out,
            .bias = o.bias,
            .precision = shape.attention});
  if (o.kind == FixedKind::convolution) convolve(o, block, first);
  if (o.keeps_input)
    b.save(SavedRole::listed, o.name + ".input", shape.element * rows * static_cast<double>(step_of(o) * o.in),
           Split::none);
  block.layers += o.count;
}

/// Tensors that a kernel reads and writes, forward and backward.
struct RowTraffic {
  FixedKind kind;
  VectorKind vector;
  double read, written, flops, gradient_read, gradient_written, gradient_flops;
  bool keeps_input;
};
constexpr std::array kTraffic{
    // Statistics first, then the scaling; backward likewise (cuDNN's spatial mode for tensors larger than a cache).
    RowTraffic{FixedKind::batch_norm, VectorKind::normalization, 2, 1, 4, 4, 1, 6, true},
    // In place: its output is the input that the next operator keeps.
    RowTraffic{FixedKind::activation, VectorKind::activation, 1, 1, 1, 2, 1, 1, false},
    // Backward: the gradients of the two branches meet.
    RowTraffic{FixedKind::add, VectorKind::elementwise, 2, 1, 1, 2, 1, 1, false},
};

void lower_rows(const MicrobatchShape& shape, const FixedOperator& o, const RowTraffic& t, BlockBuilder& b) {
  const double a = shape.element, elements = static_cast<double>(shape.batch * o.rows) * static_cast<double>(o.out);
  b.vector(Role::listed, o.name, Split::none,
           {.kind = t.vector, .elements = elements, .read = t.read * a, .written = t.written * a, .flops = t.flops},
           {.read = t.gradient_read * a, .written = t.gradient_written * a, .flops = t.gradient_flops});
  if (o.kind == FixedKind::batch_norm) b.weight(o.name, 2 * static_cast<double>(o.out), Split::none);
  if (t.keeps_input && o.keeps_input) b.save(SavedRole::listed, o.name + ".input", a * elements, Split::none);
}

// Backward reads the input and the output's gradient again and writes the input's.
void lower_vector(const MicrobatchShape& shape, const FixedOperator& o, BlockBuilder& b) {
  const double in = static_cast<double>(o.in), out = static_cast<double>(o.out), widest = std::max(in, out);
  const double rows = static_cast<double>(shape.batch * o.rows), per = shape.element / widest;
  b.vector(Role::listed, o.name, Split::none, {.elements = rows * widest, .read = in * per, .written = out * per},
           {.read = (in + out) * per, .written = in * per});
  if (o.keeps_input) b.save(SavedRole::listed, o.name + ".input", shape.element * rows * in, Split::none);
}

void lower_rows_of_tables(const Scenario& s, const MicrobatchShape& shape, const FixedOperator& o, int64_t tables,
                          BlockBuilder& b) {
  const Lookup lookup{
      .rows = shape.batch * o.rows * tables, .width = o.out, .bytes_per_element = s.software.memory.weight};
  b.both_ways(Role::listed, o.name, lookup, Split::none);
}

// Backward adds the gradients to the rows that were read and so is their update (sparse SGD): no gradient, no state.
void lower_lookup(const Scenario& s, const MicrobatchShape& shape, const FixedOperator& o, Block& block,
                  BlockBuilder& b) {
  lower_rows_of_tables(s, shape, o, static_cast<int64_t>(o.tables.size()), b);
  const double rows = std::accumulate(o.tables.begin(), o.tables.end(), 0.0);
  b.weight(o.name, rows * static_cast<double>(o.out), Split::none);
  block.weights.back().frozen = true;
}

// A dense gradient of the whole table, whatever rows were read.
void lower_dense_table(const Scenario& s, const MicrobatchShape& shape, const FixedOperator& o, BlockBuilder& b) {
  lower_rows_of_tables(s, shape, o, 1, b);
  b.weight(o.name, static_cast<double>(o.in) * static_cast<double>(o.out), Split::none);
}

void lower_product(const MicrobatchShape& shape, const FixedOperator& o, BlockBuilder& b) {
  b.batched(Role::listed, o.name, shape.batch, {.m = o.out, .n = o.rows, .k = o.in},
            {.m = o.in, .n = o.rows, .k = o.out}, {.m = o.out, .n = o.in, .k = o.rows});
  if (o.keeps_input)
    b.save(SavedRole::listed, o.name + ".inputs",
           shape.element * static_cast<double>(shape.batch * o.in * (o.rows + o.out)), Split::none);
}

bool is_table(const FixedOperator& o) { return o.kind == FixedKind::lookup || o.kind == FixedKind::embedding; }

// Numbers of rows that tables are read by are data, and there in any case.
double input_bytes(const MicrobatchShape& shape, const FixedOperator& o) {
  if (is_table(o)) return 0;
  return shape.element * static_cast<double>(shape.batch * o.rows) * static_cast<double>(step_of(o) * o.in);
}

void lower_operator(const Scenario& s, const MicrobatchShape& shape, const FixedOperator& o, Block& block,
                    BlockBuilder& b) {
  if (is_matrix(o.kind)) return lower_matrix(shape, o, block, b);
  if (is_recurrent(o.kind)) return lower_recurrent(shape, o, !s.software.fusion.recurrent, block, b);
  if (o.kind == FixedKind::embedding) return lower_dense_table(s, shape, o, b);
  if (o.kind == FixedKind::product) return lower_product(shape, o, b);
  if (o.kind == FixedKind::vector) return lower_vector(shape, o, b);
  if (o.kind == FixedKind::lookup) return lower_lookup(s, shape, o, block, b);
  const auto* row =
      std::find_if(kTraffic.begin(), kTraffic.end(), [&](const RowTraffic& t) { return t.kind == o.kind; });
  lower_rows(shape, o, *row, b);
}

}  // namespace

void lower_fixed(const Scenario& s, const MicrobatchShape& shape, Block& block, BlockBuilder& b) {
  if (block.kind != BlockKind::layer) return;
  block.layers = 0;
  for (size_t row = 0; row < s.model.operators.size(); ++row) {
    const FixedOperator& o = s.model.operators[row];
    const size_t ops = block.ops.size(), weights = block.weights.size(), saved = block.saved.size();
    b.in(is_table(o) ? Sublayer::embedding : Sublayer::fixed);
    lower_operator(s, shape, o, block, b);
    const double count = static_cast<double>(o.count);
    for (size_t i = ops; i < block.ops.size(); ++i) {
      block.ops[i].listed = static_cast<int>(row);
      block.ops[i].count *= count;
    }
    for (size_t i = weights; i < block.weights.size(); ++i) {
      block.weights[i].listed = static_cast<int>(row);
      block.weights[i].parameters *= count;
    }
    for (size_t i = saved; i < block.saved.size(); ++i) block.saved[i].bytes *= count;
    if (row == 0 && block.saved.size() > saved && o.count == 1) block.saved[saved].role = SavedRole::layer_input;
  }
  block.layers = std::max<int64_t>(1, block.layers);
  // The first operator's input is data: its gradient is not needed.
  const FixedOperator& first = s.model.operators.front();
  std::erase_if(block.ops, [&](const WorkOp& w) { return w.listed == 0 && w.data_gradient && w.product == 1; });
  block.input_bytes = input_bytes(shape, first);
}

}  // namespace planner
