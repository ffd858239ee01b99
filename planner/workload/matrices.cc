#include "planner/workload/matrices.h"

#include <algorithm>
#include <cmath>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

void add(std::vector<LayerMatrix>& all, const LayerMatrix& m) {
  const auto like = std::ranges::find_if(all, [&](const LayerMatrix& o) { return m.is_like(o); });
  if (like != all.end()) like->count += m.count;
  else all.push_back(m);
}

bool makes_queries_or_keys(Role role) {
  return role == Role::query || role == Role::key || role == Role::query_up || role == Role::key_value_up;
}

// Of the fused projection, queries are as wide as their heads, keys and values as theirs.
void add_parts(const Scenario& s, std::vector<LayerMatrix>& all, const LayerMatrix& fused) {
  const auto heads = static_cast<double>(s.model.heads), kv_heads = static_cast<double>(s.model.kv_heads);
  LayerMatrix part = fused;
  part.out = fused.out * kv_heads / (heads + 2 * kv_heads);
  add(all, part);  // values
  part.clipped = true;
  add(all, part);
  part.out = fused.out - 2 * part.out;
  add(all, part);
}

}  // namespace

std::vector<LayerMatrix> layer_matrices(const Scenario& s, const std::vector<Block>& blocks, const Chunk& held) {
  std::vector<LayerMatrix> all;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0 || !blocks[i].is_layer()) continue;
    for (const Weight& w : blocks[i].weights) {
      if (w.in == 0 || w.frozen) continue;
      const double in = static_cast<double>(w.in), out = static_cast<double>(w.out);
      const LayerMatrix m{.in = in,
                          .out = out,
                          .count = static_cast<double>(held[i]) * w.parameters / (in * out),
                          .split = w.split,
                          .routed = w.routed,
                          .clipped = makes_queries_or_keys(w.role)};
      if (w.role == Role::qkv) add_parts(s, all, m);
      else add(all, m);
    }
  }
  return all;
}

Parameters parameters_of(const std::vector<LayerMatrix>& matrices) {
  Parameters sum;
  for (const LayerMatrix& m : matrices) (m.routed ? sum.routed : sum.common) += m.parameters();
  return sum;
}

MatrixBlocks blocks_of(const OptimizerRow& row, double in, double out) {
  if (row.long_side != LongSide::cut) return {in, out, 1};
  const double longest = static_cast<double>(row.longest_side);
  const double rows = std::ceil(out / longest), columns = std::ceil(in / longest);
  return {in / columns, out / rows, rows * columns};
}

double state_bytes(const OptimizerRow& row, double in, double out) {
  const MatrixBlocks b = blocks_of(row, in, out);
  const States& each = row.matrix_states;
  const auto square = [&](double side) {
    const bool skipped = row.long_side == LongSide::skipped && side > static_cast<double>(row.longest_side);
    return skipped ? 0 : side * side;
  };
  return b.count *
         (each.parameter * b.in * b.out + each.line * (b.in + b.out) + each.square * (square(b.in) + square(b.out)));
}

double state_bytes(const Scenario& s, const std::vector<Block>& blocks, const StageHoldings& stage, const Chunk& held) {
  const OptimizerRow& row = row_of(s.job.optimizer);
  Parameters bytes = row.states.parameter * stage.trained;
  if (row.has_matrices()) {
    for (const LayerMatrix& m : layer_matrices(s, blocks, held))
      (m.routed ? bytes.routed : bytes.common) +=
          m.count * state_bytes(row, m.in, m.out) - row.states.parameter * m.parameters();
  }
  return s.parallelism.zero >= 1 ? sharded(s, bytes) : bytes.sum();
}

}  // namespace planner
