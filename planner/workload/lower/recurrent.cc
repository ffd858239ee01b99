// LSTM and GRU layers: what needs no earlier step is one matrix product over all of them, the rest runs step by step
// (Appleyard et al. 2016, arXiv:1604.01946, section 3; cuDNN and MIOpen do so). Where it is not, a layer has the inputs
// of a step as soon as the layer below has done it: step t of layer l runs beside step t + 1 of layer l - 1.
#include <algorithm>
#include <array>
#include <variant>

#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

/// Vectors of `out` values that the kernel of one step reads and writes for a sample, and those kept for backward.
struct RecurrentCell {
  FixedKind kind;
  double read, written, gradient_read, gradient_written, kept;
};
constexpr std::array kCells{
    // The sums of four gates from both products and the cell; gates, cell and output. Backward: gates, both cells, the
    // gradients of output (from above and from the next step) and cell; those of the gates and of the cell before.
    RecurrentCell{FixedKind::lstm, 9, 6, 9, 5, 6},
    // The sums of three gates and the state; gates, the hidden part of the candidate, output. Backward: these, the
    // state
    // before and two gradients; those of the gates, of that hidden part and of the state before.
    RecurrentCell{FixedKind::gru, 7, 5, 7, 5, 5},
};

const RecurrentCell& cell_of(FixedKind kind) { return kCells[kind == FixedKind::lstm ? 0 : 1]; }

// The weight's gradient alone waits for all steps: it is one product over them.
void repeat_steps(const MicrobatchShape& shape, int64_t steps, Block& block, size_t first) {
  for (size_t i = first; i < block.ops.size(); ++i) {
    WorkOp& w = block.ops[i];
    auto* g = std::get_if<Gemm>(&w.op);
    if (w.weight_gradient && g) g->k = shape.batch * steps;
    else if (!w.of_weights) w.count *= static_cast<double>(steps);
  }
}

// Products of a step each, but for the weight's gradient.
void split_steps(const MicrobatchShape& shape, int64_t steps, Block& block, size_t first) {
  for (size_t i = first; i < block.ops.size(); ++i) {
    auto* g = std::get_if<Gemm>(&block.ops[i].op);
    if (!g || block.ops[i].weight_gradient) continue;
    g->n = shape.batch;
    block.ops[i].count *= static_cast<double>(steps);
  }
}

// Both directions of a layer, and layers whose steps follow those of the layer below: equal ones of this row, as many
// as there are steps.
void run_beside(const FixedOperator& o, bool by_step, Block& block, size_t first) {
  const int64_t layers = by_step && !o.bidirectional ? std::min(o.count, o.rows) : 1;
  const int64_t beside = layers * (o.bidirectional ? 2 : 1);
  if (beside == 1 && !by_step) return;
  for (size_t i = first; i < block.ops.size(); ++i) {
    if (!std::holds_alternative<Gemm>(block.ops[i].op)) continue;
    block.ops[i].wavefront = static_cast<int>(first) + 1;
    block.ops[i].beside = beside;
  }
}

void lower_hidden(const MicrobatchShape& shape, const FixedOperator& o, Block& block, BlockBuilder& b) {
  const size_t first = block.ops.size();
  const int64_t gates = gates_of(o.kind);
  b.linear({.name = o.name + ".hidden",
            .role = Role::listed,
            .rows = static_cast<double>(shape.batch),
            .in = o.out,
            .out = gates * o.out,
            .precision = shape.attention,
            .raw_input = true});
  const RecurrentCell& cell = cell_of(o.kind);
  const double elements = static_cast<double>(shape.batch * gates * o.out);
  const double per = shape.element / static_cast<double>(gates);
  b.vector(
      Role::listed, o.name + ".cell", Split::none,
      {.kind = VectorKind::activation, .elements = elements, .read = cell.read * per, .written = cell.written * per},
      {.read = cell.gradient_read * per, .written = cell.gradient_written * per});
  repeat_steps(shape, o.rows, block, first);
  // Its gradient is that of the input's bias, summed once for both.
  if (o.bias) b.weight(o.name + ".hidden.bias", static_cast<double>(gates * o.out), Split::none);
}

}  // namespace

void lower_recurrent(const MicrobatchShape& shape, const FixedOperator& o, bool by_step, Block& block,
                     BlockBuilder& b) {
  const size_t ops = block.ops.size(), weights = block.weights.size();
  const double rows = static_cast<double>(shape.batch * o.rows), directions = static_cast<double>(directions_of(o));
  b.linear({.name = o.name + ".input",
            .role = Role::listed,
            .rows = rows,
            .in = o.in,
            .out = gates_of(o.kind) * o.out,
            .bias = o.bias,
            .precision = shape.attention,
            .raw_input = true});
  if (by_step) split_steps(shape, o.rows, block, ops);
  const size_t hidden = block.ops.size();
  lower_hidden(shape, o, block, b);
  run_beside(o, by_step, block, by_step ? ops : hidden);
  for (size_t i = ops; i < block.ops.size(); ++i) block.ops[i].count *= directions;
  for (size_t i = weights; i < block.weights.size(); ++i) block.weights[i].parameters *= directions;
  if (o.keeps_input)
    b.save(SavedRole::listed, o.name + ".input", shape.element * rows * static_cast<double>(o.in), Split::none);
  b.save(SavedRole::listed, o.name + ".cell",
         shape.element * rows * directions * cell_of(o.kind).kept * static_cast<double>(o.out), Split::none);
  block.layers += o.count;
}

}  // namespace planner
